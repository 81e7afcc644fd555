import type { ResponseOrder } from './response-order';
import { readVarint, skipVarint } from './split-response';
import type { WireList } from './wire-list';

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;

/** So many elements are compared at once where they lie as in the response before. */
const runLength = 64;

/**
 * Elements of a state-of-the-world response that are byte for byte what we hold. In a response of 100,000 with one
 * change these are all but one, and they cost a look at two numbers each, and one comparison for many: no object, no
 * name, no entry in a list.
 */
export class Repeats {
  count = 0;
  readonly #typeUrl: Buffer;
  /** By place in `order`: has it come? */
  readonly #came: Uint8Array;
  /** Of elements that were read. */
  readonly #others = new Set<string>();
  /** What is expected next. */
  #place = 0;
  /** Places before this one are known to repeat what is held. */
  #sameUntil = 0;
  /** Places before this one are compared one by one: there is a change among them. */
  #oneByOneUntil = 0;
  /** How far the elements of the response are from their places; what was compared holds for that alone. */
  #shift = 0;
  /** Of this response, as soon as they are others than those of `order`. */
  #names: string[] | undefined;

  constructor(
    private readonly wire: WireList,
    typeUrl: string,
    /** Of the response before. */
    private readonly order: ResponseOrder,
  ) {
    this.#typeUrl = Buffer.from(typeUrl);
    this.#came = new Uint8Array(order.names.length);
  }

  /** Is the element what is expected at its place? Then it is dealt with. */
  take(index: number): boolean {
    const place = this.#place;
    if (place >= this.#came.length || this.#came[place] === 1) return false;
    const name = this.order.names[place];
    if (name === undefined || (this.#others.size > 0 && this.#others.has(name))) return false;
    if (index - place !== this.#shift) {
      this.#shift = index - place;
      this.#sameUntil = 0;
      this.#oneByOneUntil = 0;
    }
    if (place >= this.#sameUntil) {
      if (place >= this.#oneByOneUntil) this.#compareRun(index, place);
      if (place >= this.#sameUntil && !this.#isSame(index, place)) return false;
    }
    this.#came[place] = 1;
    this.#place = place + 1;
    this.count += 1;
    this.#names?.push(name);
    return true;
  }

  /** An element that had to be read. False when there was one of this name. */
  see(name: string): boolean {
    const others = this.#others.size;
    if (this.has(name) || this.#others.add(name).size === others) return false;
    const isExpected = this.order.names[this.#place] === name;
    if (!isExpected) {
      this.#names ??= this.order.names.slice(0, this.#place);
      const place = this.order.placeOf(name);
      if (place >= 0) this.#place = place;
    }
    if (this.order.names[this.#place] === name) this.#place += 1;
    this.#names?.push(name);
    return true;
  }

  /** Was it dealt with? */
  has(name: string): boolean {
    if (this.count === 0) return false;
    const place = this.order.placeOf(name);
    return place >= 0 && this.#came[place] === 1;
  }

  /** Was it in the response, repeated or read? */
  hasCome(name: string): boolean {
    return this.#others.has(name) || this.has(name);
  }

  /** Of this response; null where they are those of the one before. */
  otherNames(): readonly string[] | null {
    if (this.#names !== undefined) return this.#names;
    return this.#place === this.order.names.length ? null : this.order.names.slice(0, this.#place);
  }

  /** Elements that lie as they lay, in one buffer and without anything between them, are compared as one. */
  #compareRun(index: number, place: number): void {
    const { bounds, message } = this.wire;
    const { buffers, starts, ends, names } = this.order;
    const held = buffers[place];
    const until = Math.min(place + runLength, names.length, place + (bounds.length / 2 - index));
    this.#oneByOneUntil = until;
    if (held === undefined || held.length === 0) return;
    const moved = (ends[place] ?? 0) - (bounds[2 * index + 1] ?? 0);
    for (let next = place + 1; next < until; next++) {
      const end = bounds[2 * (index + next - place) + 1] ?? 0;
      if (buffers[next] !== held || (ends[next] ?? 0) - end !== moved) return;
    }
    // The first one's own header, then all the rest with the headers between.
    if (!this.#isSame(index, place)) return;
    const from = starts[place] ?? 0;
    const to = ends[until - 1] ?? 0;
    if (message.compare(held, from, to, from - moved, to - moved) === 0) this.#sameUntil = until;
  }

  #isSame(index: number, place: number): boolean {
    const { message, bounds } = this.wire;
    const held = this.order.buffers[place];
    const heldStart = this.order.starts[place] ?? 0;
    const heldEnd = this.order.ends[place] ?? 0;
    const start = bounds[2 * index] ?? 0;
    const end = bounds[2 * index + 1] ?? 0;
    const typeUrlStart = start + 2;
    const typeUrlEnd = typeUrlStart + this.#typeUrl.length;
    if (held === undefined || held.length === 0) return false;
    // A type URL of 128 bytes or more has a longer length, and is read the other way.
    if (message[start] !== typeUrlTag || message[start + 1] !== this.#typeUrl.length) return false;
    if (message[typeUrlEnd] !== valueTag || this.#typeUrl.length > 127) return false;
    const valueStart = skipVarint(message, typeUrlEnd + 1);
    const sizeBytes = end - valueStart;
    if (valueStart < 0 || sizeBytes !== heldEnd - heldStart) return false;
    if (readVarint(message, typeUrlEnd + 1, valueStart) !== sizeBytes) return false;
    return (
      this.#typeUrl.compare(message, typeUrlStart, typeUrlEnd) === 0 &&
      message.compare(held, heldStart, heldEnd, valueStart, end) === 0
    );
  }
}
