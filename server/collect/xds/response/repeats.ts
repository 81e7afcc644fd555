import { sha256 } from '../../../codec/sha256';
import type { ResponseOrder } from './response-order';
import { readVarint, skipVarint } from './varint';
import type { WireList } from './wire-list';

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;
/** These are the states of a place of the order. */
const repeated = 1;
const read = 2;

/**
 * The elements of a state-of-the-world response that equal the held resources byte by byte, usually all but a few of
 * 100,000. They were compared on arrival and need neither an object nor a name.
 */
export class Repeats {
  readonly #wire: WireList;
  readonly #order: ResponseOrder;
  count = 0;
  readonly #received: Buffer;
  readonly #others = new Set<string>();
  #place = 0;
  /** The names of this response, once they differ from those of `order`. */
  #names: string[] | undefined;

  constructor(
    wire: WireList,
    /** The order of the previous response. */
    order: ResponseOrder,
  ) {
    this.#wire = wire;
    this.#order = order;
    this.#received = Buffer.alloc(order.names.length);
  }

  /** Returns the number of elements from `index` on that repeat held resources, and marks them as received. */
  take(index: number): number {
    const run = this.#wire.runAt(this.#order, index);
    if (run !== undefined && this.#isNew(run)) return this.#add(run.place, run.count);
    const known = this.#wire.placeIn(this.#order, index);
    const place = known < 0 ? this.#place : known;
    if (place >= this.#order.names.length || this.#received[place] !== 0) return 0;
    if (known < 0 && !this.#isSame(index, place)) return 0;
    return this.#add(place, 1);
  }

  #add(place: number, count: number): number {
    this.#moveTo(place);
    this.#received.fill(repeated, place, place + count);
    this.#place = place + count;
    this.count += count;
    const names = this.#names;
    if (names !== undefined)
      for (let at = place; at < this.#place; at++) names.push(this.#order.names[at] ?? '');
    return count;
  }

  #isNew({ place, count }: { readonly place: number; readonly count: number }): boolean {
    const received = this.#received.subarray(place, place + count);
    return !received.includes(repeated) && !received.includes(read);
  }

  /** Adds the name of an element that was read. Returns false if the response contained the name already. */
  see(name: string): boolean {
    const others = this.#others.size;
    const { names } = this.#order;
    // An expected name needs no index of names, which is built on first use.
    const isExpected = names[this.#place] === name;
    const place = isExpected ? this.#place : names.length === 0 ? -1 : this.#order.placeOf(name);
    if (this.#received[place] === repeated || this.#others.add(name).size === others) return false;
    if (!isExpected) this.#moveTo(place);
    if (place >= 0) {
      this.#received[place] = read;
      this.#place = place + 1;
    }
    this.#names?.push(name);
    return true;
  }

  /** Called when the order of this response differs from the previous one. */
  #moveTo(place: number): void {
    if (place === this.#place) return;
    this.#names ??= this.#order.names.slice(0, this.#place);
    if (place >= 0) this.#place = place;
  }

  has(name: string): boolean {
    if (this.count === 0) return false;
    const place = this.#order.placeOf(name);
    return place >= 0 && this.#received[place] === repeated;
  }

  /** Returns whether the response contained the name, repeated or read. */
  contains(name: string): boolean {
    return this.#others.has(name) || this.has(name);
  }

  /** Returns the names of this response, or null if they are those of the previous one. */
  otherNames(): readonly string[] | null {
    if (this.#names !== undefined) return this.#names;
    return this.#place === this.#order.names.length ? null : this.#order.names.slice(0, this.#place);
  }

  #isSame(index: number, place: number): boolean {
    const order = this.#order,
      wire = this.#wire;
    const message = wire.buffers[index];
    const held = order.held[place];
    if (message === undefined || held === undefined || !wire.hasBytes(index)) return false;
    const start = wire.starts[index] ?? 0;
    const end = wire.ends[index] ?? 0;
    const typeUrl = order.typeUrlBytes;
    const typeUrlStart = start + 2;
    const typeUrlEnd = typeUrlStart + typeUrl.length;
    // A type URL of 128 bytes or more has a length of two bytes; its element is read instead.
    if (message[start] !== typeUrlTag || message[start + 1] !== typeUrl.length) return false;
    if (message[typeUrlEnd] !== valueTag || typeUrl.length > 127) return false;
    const valueStart = skipVarint(message, typeUrlEnd + 1);
    const sizeBytes = end - valueStart;
    if (valueStart < 0 || sizeBytes !== held.wireBytes) return false;
    if (readVarint(message, typeUrlEnd + 1, valueStart) !== sizeBytes) return false;
    return (
      typeUrl.compare(message, typeUrlStart, typeUrlEnd) === 0 &&
      sha256(message.subarray(valueStart, end)) === held.digest
    );
  }
}
