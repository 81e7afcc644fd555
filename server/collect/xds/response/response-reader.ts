import { sha256 } from '../../../codec/sha256';
import type { RepeatableResource } from './cached-resource';
import type { ResponseOrder } from './response-order';
import { resourcesTag, type SplitResponse, splitResponse } from './split-response';
import { readVarint, skipVarint } from './varint';
import { WireList } from './wire-list';

/** Returns the resources that a response of this type may repeat. */
type Recall = (typeUrl: string) => ResponseOrder | undefined;

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;
/** The longest header of a field and of its element: 5 + 2 + 127 + 1 + 5 bytes. Headers are read as a whole. */
const headerBytes = 140;
/** An element is compared with this many expected places before it is searched by its name. */
const nearPlaces = 8;
const blockBytes = 1024 * 1024;

interface Stored {
  readonly buffer: Buffer;
  readonly start: number;
  end: number;
  readonly isResource: boolean;
  /** The offset of the value if it may equal a held one; -1 otherwise. */
  readonly valueStart: number;
}

interface Repeat {
  readonly held: RepeatableResource;
  readonly place: number;
}

/**
 * Splits a response into resources while it arrives. A resource whose digest equals that of the held one is not stored, so
 * that of 107 MB with one change only that change is. From the first unusual field on, splitResponse() reads the message.
 */
export class ResponseReader {
  readonly #isDelta: boolean;
  readonly #recall: Recall;
  #list: WireList | undefined;
  #order: ResponseOrder | undefined;
  #place = 0;
  /** The number of elements since the last one that was near its expected place. */
  #misses = 0;
  readonly #rest: Buffer[] = [];
  #carried: Buffer | undefined;
  #leftBytes: number;
  #fieldLeftBytes = 0;
  #repeat: Repeat | undefined;
  #stored: Stored | undefined;
  #block: Buffer = Buffer.alloc(0);
  #blockUsed = 0;
  /** The rest of the message from the first unusual field on. */
  #tail: { readonly bytes: Buffer; length: number } | undefined;

  constructor(sizeBytes: number, isDelta: boolean, recall: Recall) {
    this.#isDelta = isDelta;
    this.#recall = recall;
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

  /** Must be called after the last write(). Returns undefined if the message is not protobuf. */
  finish(): SplitResponse | undefined {
    const list = this.#list ?? new WireList(this.#isDelta);
    const tail = this.#tail === undefined ? undefined : splitResponse(this.#tail.bytes, this.#isDelta, list);
    if (this.#tail !== undefined && tail === undefined) return undefined;
    return {
      resources: list,
      rest: Buffer.concat([...this.#rest, ...(tail === undefined ? [] : [tail.rest])]),
    };
  }

  /** Begins a field, and returns the number of its bytes that are processed. */
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
    const processed = this.#beginResource(chunk, start, length);
    this.#advance(processed);
    this.#fieldLeftBytes -= processed;
    return start - position + processed;
  }

  /** Returns the number of bytes that need not be stored. */
  #beginResource(chunk: Buffer, start: number, length: number): number {
    const typeUrlStart = start + 2;
    const typeUrlEnd = typeUrlStart + (chunk[start + 1] ?? 0);
    const isAny = length > 2 && chunk[start] === typeUrlTag && (chunk[start + 1] ?? 0) < 0x80;
    if (this.#list === undefined) {
      const typeUrl = isAny && !this.#isDelta ? chunk.toString('utf8', typeUrlStart, typeUrlEnd) : '';
      this.#order = typeUrl === '' ? undefined : this.#recall(typeUrl);
      this.#list = new WireList(this.#isDelta, this.#order);
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
    const isWhole = start + length <= chunk.length;
    this.#repeat =
      isTyped && isWhole ? this.#findRepeat(order, chunk, valueStart, start + length) : undefined;
    if (this.#repeat !== undefined) return length;
    this.#store(length, true, isTyped && !isWhole ? valueStart - start : -1);
    return 0;
  }

  /** Finds the held resource with these bytes, at one of the expected places or by its name. */
  #findRepeat(order: ResponseOrder, bytes: Buffer, start: number, end: number): Repeat | undefined {
    const until = Math.min(this.#place + nearPlaces, order.names.length);
    let digest = '';
    const repeatAt = (place: number): Repeat | undefined => {
      const held = order.held[place];
      if (held === undefined || held.wireBytes !== end - start) return undefined;
      if (digest === '') digest = sha256(bytes.subarray(start, end));
      if (held.digest !== digest) return undefined;
      this.#place = place + 1;
      return { held, place };
    };
    for (let place = this.#place; place < until; place++) {
      const repeat = repeatAt(place);
      if (repeat === undefined) continue;
      this.#misses = 0;
      return repeat;
    }
    // The server may change the order each time. The index by name is not built for a few changed resources.
    this.#misses += 1;
    if (this.#misses <= nearPlaces) return undefined;
    // In most types the name is the first field. Other resources are read and compared later.
    const nameEnd = start + 2 + (bytes[start + 1] ?? 0);
    if (bytes[start] !== 10 || (bytes[start + 1] ?? 0) >= 0x80 || nameEnd > end) return undefined;
    return repeatAt(order.placeOf(bytes.toString('utf8', start + 2, nameEnd)));
  }

  #take(chunk: Buffer, start: number, end: number): void {
    const stored = this.#stored;
    if (stored !== undefined) stored.end += chunk.copy(stored.buffer, stored.end, start, end);
  }

  #end(): void {
    const { buffer = nothing, start = 0, end = 0, isResource = false, valueStart = -1 } = this.#stored ?? {};
    if (valueStart >= 0 && this.#order !== undefined) {
      this.#repeat = this.#findRepeat(this.#order, buffer, start + valueStart, end);
      // The next field reuses the storage.
      if (this.#repeat !== undefined) this.#blockUsed = start;
    }
    if (this.#repeat !== undefined) this.#list?.addRepeat(this.#repeat.held, this.#repeat.place);
    else if (isResource) this.#list?.add(buffer, start, end);
    else this.#rest.push(buffer.subarray(start, end));
    this.#repeat = undefined;
    this.#stored = undefined;
  }

  #advance(bytes: number): void {
    this.#leftBytes -= bytes;
  }

  /** Reserves storage for a field. A block is freed when all its resources are emitted. */
  #store(sizeBytes: number, isResource: boolean, valueStart = -1): void {
    if (!isResource) {
      this.#storeAt(Buffer.allocUnsafeSlow(sizeBytes), 0, false, valueStart);
      return;
    }
    if (this.#block.length - this.#blockUsed < sizeBytes) {
      // The stated length may be wrong. Memory is committed only when it is written to.
      this.#block = Buffer.allocUnsafeSlow(Math.max(sizeBytes, Math.min(blockBytes, this.#leftBytes)));
      this.#blockUsed = 0;
    }
    const start = this.#blockUsed;
    this.#blockUsed += sizeBytes;
    this.#storeAt(this.#block, start, true, valueStart);
  }

  #storeAt(buffer: Buffer, start: number, isResource: boolean, valueStart: number): void {
    this.#stored = { buffer, start, end: start, isResource, valueStart };
  }
}

const nothing = Buffer.alloc(0);
