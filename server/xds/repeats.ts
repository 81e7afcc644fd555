import { ResponseOrder } from './response-order';
import { readVarint, skipVarint } from './split-response';
import type { WireList } from './wire-list';

/** google.protobuf.Any: type_url 1, value 2. */
const typeUrlTag = 10;
const valueTag = 18;

/**
 * Elements of a state-of-the-world response that are byte for byte what we hold. In a response of 100,000 with one
 * change these are all but one, and they cost one comparison each: no object, no name, no entry in a list.
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
  #names: string[] | undefined;

  constructor(
    private readonly wire: WireList,
    typeUrl: string,
    /** Of the response before. */
    private readonly order: ResponseOrder,
    /** The bytes of what is in use under that name, if to see them again changes nothing at all. */
    private readonly findSettled: (name: string) => Uint8Array | undefined,
  ) {
    this.#typeUrl = Buffer.from(typeUrl);
    this.#came = new Uint8Array(order.names.length);
  }

  /** Is the element what is expected at its place? Then it is dealt with. */
  take(index: number): boolean {
    const name = this.order.names[this.#place];
    if (name === undefined || this.#came[this.#place] === 1) return false;
    if (this.#others.size > 0 && this.#others.has(name)) return false;
    const held = this.findSettled(name);
    if (held === undefined || !this.#isSame(index, held)) return false;
    this.#came[this.#place] = 1;
    this.#place += 1;
    this.count += 1;
    this.#names?.push(name);
    return true;
  }

  /** An element that had to be read. False when there was one of this name. */
  see(name: string): boolean {
    if (this.has(name) || this.#others.has(name)) return false;
    const isExpected = this.order.names[this.#place] === name;
    if (!isExpected) {
      this.#names ??= this.order.names.slice(0, this.#place);
      const place = this.order.placeOf(name);
      if (place >= 0) this.#place = place;
    }
    if (isExpected || this.order.names[this.#place] === name) this.#place += 1;
    this.#names?.push(name);
    this.#others.add(name);
    return true;
  }

  /** Was it dealt with? */
  has(name: string): boolean {
    if (this.count === 0) return false;
    const place = this.order.placeOf(name);
    return place >= 0 && this.#came[place] === 1;
  }

  /** Of this response, for the next one. */
  nextOrder(): ResponseOrder {
    if (this.#names === undefined && this.#place === this.order.names.length) return this.order;
    return new ResponseOrder(this.#names ?? this.order.names.slice(0, this.#place));
  }

  #isSame(index: number, held: Uint8Array): boolean {
    const { message, bounds } = this.wire;
    const start = bounds[2 * index] ?? 0;
    const end = bounds[2 * index + 1] ?? 0;
    const typeUrlStart = start + 2;
    const typeUrlEnd = typeUrlStart + this.#typeUrl.length;
    // A type URL of 128 bytes or more has a longer length, and is read the other way.
    if (message[start] !== typeUrlTag || message[start + 1] !== this.#typeUrl.length) return false;
    if (message[typeUrlEnd] !== valueTag || this.#typeUrl.length > 127) return false;
    const valueStart = skipVarint(message, typeUrlEnd + 1);
    const sizeBytes = end - valueStart;
    if (valueStart < 0 || sizeBytes !== held.length) return false;
    if (readVarint(message, typeUrlEnd + 1, valueStart) !== sizeBytes) return false;
    return (
      this.#typeUrl.compare(message, typeUrlStart, typeUrlEnd) === 0 &&
      message.compare(held, 0, held.length, valueStart, end) === 0
    );
  }
}
