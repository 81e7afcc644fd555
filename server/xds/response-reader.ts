import type { ResponseOrder } from './response-order';
import { readVarint, resourcesTag, type SplitResponse, skipVarint, splitResponse } from './split-response';
import { WireList } from './wire-list';

/** What a response of that type, as its resources state it, may repeat. */
export type Recall = (typeUrl: string) => ResponseOrder | undefined;

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;
/** A field's header, and an element's up to its value, are read when they are together: 5 + 2 + 127 + 1 + 5 bytes. */
const headerBytes = 140;
/** So many places are looked at for an element before it is searched by its name. */
const nearPlaces = 8;
const blockBytes = 1024 * 1024;

interface Compared {
  readonly place: number;
  /** The element up to its value. */
  readonly header: Buffer;
  readonly held: Buffer;
  readonly start: number;
  /** Up to here the held bytes have come. */
  position: number;
}

interface Stored {
  readonly buffer: Buffer;
  readonly start: number;
  /** What has come so far. */
  end: number;
  readonly isResource: boolean;
}

/**
 * A response, cut into resources while it comes in. A resource that is byte for byte what we hold is not stored: of
 * 107 MB with one change the one is stored, and not all. What is odd in any way is left to splitResponse().
 */
export class ResponseReader {
  #list: WireList | undefined;
  #order: ResponseOrder | undefined;
  /** Where the next element is expected in `#order`. */
  #place = 0;
  /** Elements since the last one that was near there. */
  #misses = 0;
  readonly #rest: Buffer[] = [];
  /** The begin of a header, whose end has not come. */
  #carried: Buffer | undefined;
  /** Of the message, from where it is read next. */
  #leftBytes: number;
  /** Of the field that is being read. */
  #fieldLeftBytes = 0;
  #compared: Compared | undefined;
  /** Where the field that is being read is stored. */
  #stored: Stored | undefined;
  #block: Buffer = Buffer.alloc(0);
  #blockUsed = 0;
  /** From a field on that is odd: all the rest of the message. */
  #tail: { readonly bytes: Buffer; length: number } | undefined;

  constructor(
    sizeBytes: number,
    private readonly isDelta: boolean,
    private readonly recall: Recall,
  ) {
    this.#leftBytes = sizeBytes;
  }

  write(bytes: Buffer): void {
    const chunk = this.#carried === undefined ? bytes : Buffer.concat([this.#carried, bytes]);
    this.#carried = undefined;
    let position = 0;
    while (position < chunk.length) {
      if (this.#tail !== undefined) {
        this.#tail.length += chunk.copy(this.#tail.bytes, this.#tail.length, position);
        return;
      }
      if (this.#fieldLeftBytes === 0) {
        if (chunk.length - position < Math.min(headerBytes, this.#leftBytes)) {
          this.#carried = Buffer.from(chunk.subarray(position));
          return;
        }
        position += this.#begin(chunk, position);
        if (this.#tail !== undefined) continue;
      }
      const end = Math.min(chunk.length, position + this.#fieldLeftBytes);
      this.#take(chunk, position, end);
      this.#advance(end - position);
      this.#fieldLeftBytes -= end - position;
      position = end;
      if (this.#fieldLeftBytes === 0) this.#end();
    }
  }

  /** When all of it was written; undefined where it is no protobuf. */
  finish(): SplitResponse | undefined {
    const list = this.#list ?? new WireList(this.isDelta);
    const tail = this.#tail === undefined ? undefined : splitResponse(this.#tail.bytes, this.isDelta, list);
    if (this.#tail !== undefined && tail === undefined) return undefined;
    return {
      resources: list,
      rest: Buffer.concat([...this.#rest, ...(tail === undefined ? [] : [tail.rest])]),
    };
  }

  /** A field begins; how many bytes of it are dealt with. */
  #begin(chunk: Buffer, position: number): number {
    const tag = chunk[position] ?? 0;
    const start = skipVarint(chunk, position + 1);
    const length = start < 0 ? 0 : readVarint(chunk, position + 1, start);
    const isPlain = start > 0 && (tag & 7) === 2 && tag >= 8 && tag < 0x80;
    if (!isPlain || start - position + length > this.#leftBytes) {
      this.#tail = { bytes: Buffer.allocUnsafeSlow(this.#leftBytes), length: 0 };
      return 0;
    }
    if (tag !== resourcesTag) {
      this.#store(start - position + length, false);
      this.#fieldLeftBytes = start - position + length;
      return 0;
    }
    this.#advance(start - position);
    this.#fieldLeftBytes = length;
    const taken = this.#beginResource(chunk, start, length);
    this.#advance(taken);
    this.#fieldLeftBytes -= taken;
    return start - position + taken;
  }

  /** How many bytes need not be looked at any more. */
  #beginResource(chunk: Buffer, start: number, length: number): number {
    const typeUrlStart = start + 2;
    const typeUrlEnd = typeUrlStart + (chunk[start + 1] ?? 0);
    const isAny = length > 2 && chunk[start] === typeUrlTag && (chunk[start + 1] ?? 0) < 0x80;
    if (this.#list === undefined) {
      const typeUrl = isAny && !this.isDelta ? chunk.toString('utf8', typeUrlStart, typeUrlEnd) : '';
      this.#order = typeUrl === '' ? undefined : this.recall(typeUrl);
      this.#list = new WireList(this.isDelta, this.#order);
    }
    const order = this.#order;
    const valueStart = skipVarint(chunk, typeUrlEnd + 1);
    if (order === undefined || !isAny || chunk[typeUrlEnd] !== valueTag || valueStart < 0) {
      this.#store(length, true);
      return 0;
    }
    const valueBytes = start + length - valueStart;
    const isTyped =
      readVarint(chunk, typeUrlEnd + 1, valueStart) === valueBytes &&
      order.typeUrlBytes.compare(chunk, typeUrlStart, typeUrlEnd) === 0;
    const place = isTyped ? this.#findPlace(order, chunk, valueStart, valueBytes) : -1;
    const held = order.buffers[place];
    if (place < 0 || held === undefined) {
      this.#store(length, true);
      return 0;
    }
    this.#place = place + 1;
    const heldStart = order.starts[place] ?? 0;
    const came = Math.min(valueBytes, chunk.length - valueStart);
    // A copy where the element goes on in the next chunk, which may turn out to differ.
    const header = came < valueBytes ? Buffer.from(chunk.subarray(start, valueStart)) : nothing;
    this.#compared = { place, header, held, start: heldStart, position: heldStart + came };
    return valueStart - start + came;
  }

  /** A place that holds so many bytes, which are the same as far as they have come; -1: none. */
  #findPlace(order: ResponseOrder, chunk: Buffer, valueStart: number, valueBytes: number): number {
    const until = Math.min(this.#place + nearPlaces, order.names.length);
    for (let place = this.#place; place < until; place++) {
      if (!isAt(order, place, chunk, valueStart, valueBytes)) continue;
      this.#misses = 0;
      return place;
    }
    // A server that sends them in another order each time. The index by name is not made for some that changed.
    this.#misses += 1;
    if (this.#misses <= nearPlaces) return -1;
    // Most types have their name first. (What is not found so is read, and compared then.)
    const nameEnd = valueStart + 2 + (chunk[valueStart + 1] ?? 0);
    if (chunk[valueStart] !== 10 || (chunk[valueStart + 1] ?? 0) >= 0x80 || nameEnd > chunk.length) return -1;
    const place = order.placeOf(chunk.toString('utf8', valueStart + 2, nameEnd));
    return place >= 0 && isAt(order, place, chunk, valueStart, valueBytes) ? place : -1;
  }

  #take(chunk: Buffer, start: number, end: number): void {
    const compared = this.#compared;
    if (compared !== undefined) {
      const { held, position } = compared;
      const until = position + end - start;
      if (held.compare(chunk, start, end, position, until) === 0) {
        compared.position = until;
        return;
      }
      this.#giveUp(compared);
    }
    const stored = this.#stored;
    if (stored !== undefined) stored.end += chunk.copy(stored.buffer, stored.end, start, end);
  }

  /** It is not what is held, though it began so: what has come of it is taken from there. */
  #giveUp({ header, held, start, position }: Compared): void {
    this.#compared = undefined;
    const cameBytes = position - start;
    const stored = this.#store(header.length + cameBytes + this.#fieldLeftBytes, true);
    stored.end += header.copy(stored.buffer, stored.end);
    stored.end += held.copy(stored.buffer, stored.end, start, position);
  }

  #end(): void {
    const { buffer = nothing, start = 0, end = 0, isResource = false } = this.#stored ?? {};
    if (this.#compared !== undefined && this.#order !== undefined) {
      this.#list?.addRepeat(this.#order, this.#compared.place);
    } else if (isResource) this.#list?.add(buffer, start, end);
    else this.#rest.push(buffer.subarray(start, end));
    this.#compared = undefined;
    this.#stored = undefined;
  }

  #advance(bytes: number): void {
    this.#leftBytes -= bytes;
  }

  /** Room for a field. The first answer of a type fills one large block, of the next ones little is new. */
  #store(sizeBytes: number, isResource: boolean): Stored {
    if (!isResource) return this.#storeAt(Buffer.allocUnsafeSlow(sizeBytes), 0, false);
    if (this.#block.length - this.#blockUsed < sizeBytes) {
      const isKnown = this.#order !== undefined && this.#order.names.length > 0;
      const wanted = isKnown ? Math.min(blockBytes, this.#leftBytes) : this.#leftBytes;
      // Not touched, and so not in memory, before something is written to it: the length may be a lie.
      this.#block = Buffer.allocUnsafeSlow(Math.max(sizeBytes, wanted));
      this.#blockUsed = 0;
    }
    const start = this.#blockUsed;
    this.#blockUsed += sizeBytes;
    return this.#storeAt(this.#block, start, true);
  }

  #storeAt(buffer: Buffer, start: number, isResource: boolean): Stored {
    this.#stored = { buffer, start, end: start, isResource };
    return this.#stored;
  }
}

const nothing = Buffer.alloc(0);

function isAt(
  order: ResponseOrder,
  place: number,
  chunk: Buffer,
  valueStart: number,
  valueBytes: number,
): boolean {
  const held = order.buffers[place];
  const start = order.starts[place] ?? 0;
  if (held === undefined || held.length === 0 || (order.ends[place] ?? 0) - start !== valueBytes)
    return false;
  const came = Math.min(valueBytes, chunk.length - valueStart);
  return chunk.compare(held, start, start + came, valueStart, valueStart + came) === 0;
}
