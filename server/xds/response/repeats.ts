import { sha256 } from '../../codec/sha256';
import type { ResponseOrder } from './response-order';
import { readVarint, skipVarint } from './varint';
import type { WireList } from './wire-list';

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;
/** What came at a place of the order. */
const repeated = 1;
const read = 2;

/**
 * Elements of a state-of-the-world response that are byte for byte what we hold. In a response of 100,000 with one
 * change these are all but one, and they cost a look at some numbers each: they were compared when they came in. No
 * object, no name, no entry in a list.
 */
export class Repeats {
  count = 0;
  /** By place in `order`: has it come, and how? */
  readonly #came: Buffer;
  /** Of elements that were read. */
  readonly #others = new Set<string>();
  /** What is expected next. */
  #place = 0;
  /** Of this response, as soon as they are others than those of `order`. */
  #names: string[] | undefined;

  constructor(
    private readonly wire: WireList,
    /** Of the response before. */
    private readonly order: ResponseOrder,
  ) {
    this.#came = Buffer.alloc(order.names.length);
  }

  /** How many elements from here on are what is held at places of which nothing came yet. They are dealt with. */
  take(index: number): number {
    const run = this.wire.runAt(this.order, index);
    if (run !== undefined && this.#isNew(run)) return this.#add(run.place, run.count);
    const known = this.wire.placeIn(this.order, index);
    const place = known < 0 ? this.#place : known;
    if (place >= this.order.names.length || this.#came[place] !== 0) return 0;
    if (known < 0 && !this.#isSame(index, place)) return 0;
    return this.#add(place, 1);
  }

  #add(place: number, count: number): number {
    this.#moveTo(place);
    this.#came.fill(repeated, place, place + count);
    this.#place = place + count;
    this.count += count;
    const names = this.#names;
    if (names !== undefined)
      for (let at = place; at < this.#place; at++) names.push(this.order.names[at] ?? '');
    return count;
  }

  #isNew({ place, count }: { readonly place: number; readonly count: number }): boolean {
    const came = this.#came.subarray(place, place + count);
    return !came.includes(repeated) && !came.includes(read);
  }

  /** An element that had to be read. False when there was one of this name. */
  see(name: string): boolean {
    const others = this.#others.size;
    const { names } = this.order;
    // Without a look into the index of names, which is made when it is needed first.
    const isExpected = names[this.#place] === name;
    const place = isExpected ? this.#place : names.length === 0 ? -1 : this.order.placeOf(name);
    if (this.#came[place] === repeated || this.#others.add(name).size === others) return false;
    if (!isExpected) this.#moveTo(place);
    if (place >= 0) {
      this.#came[place] = read;
      this.#place = place + 1;
    }
    this.#names?.push(name);
    return true;
  }

  /** The next one is not what was expected. */
  #moveTo(place: number): void {
    if (place === this.#place) return;
    this.#names ??= this.order.names.slice(0, this.#place);
    if (place >= 0) this.#place = place;
  }

  /** Was it dealt with? */
  has(name: string): boolean {
    if (this.count === 0) return false;
    const place = this.order.placeOf(name);
    return place >= 0 && this.#came[place] === repeated;
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

  /** Of an element that has bytes of its own. */
  #isSame(index: number, place: number): boolean {
    const { order, wire } = this;
    const message = wire.buffers[index];
    const held = order.held[place];
    if (message === undefined || held === undefined || !wire.isOwn(index)) return false;
    const start = wire.starts[index] ?? 0;
    const end = wire.ends[index] ?? 0;
    const typeUrl = order.typeUrlBytes;
    const typeUrlStart = start + 2;
    const typeUrlEnd = typeUrlStart + typeUrl.length;
    // A type URL of 128 bytes or more has a longer length, and is read the other way.
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
