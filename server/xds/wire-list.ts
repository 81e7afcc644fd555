import type { ResourceList, WireResource } from './response-envelope';
import type { ResponseOrder } from './response-order';
import { readAnyFields, readWrapperFields } from './wire-resource';

/** The elements of a message, where they are: 100,000 of them are no objects until somebody looks at one. */
export class WireList implements ResourceList {
  /** By element: the buffer in which it is, and from where to where. Of a repeat: where the value is that it repeats. */
  readonly buffers: Buffer[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** By element: its place in `order`, whose bytes it repeats; -1: it has bytes of its own. */
  readonly #places: number[] = [];

  constructor(
    /** Resources in delta, Any in state of the world. */
    private readonly isWrapper: boolean,
    /** What may be repeated. */
    private readonly order?: ResponseOrder,
  ) {}

  get length(): number {
    return this.starts.length;
  }

  add(buffer: Buffer, start: number, end: number): void {
    this.buffers.push(buffer);
    this.starts.push(start);
    this.ends.push(end);
    this.#places.push(-1);
  }

  /** An Any of the order's type, whose value is what is held at that place now, byte for byte. */
  addRepeat(order: ResponseOrder, place: number): void {
    this.add(order.buffers[place] ?? nothing, order.starts[place] ?? 0, order.ends[place] ?? 0);
    this.#places[this.#places.length - 1] = place;
  }

  /** Where it was in that order, when its bytes are still those that are held there; -1 otherwise. */
  placeIn(order: ResponseOrder, index: number): number {
    const place = this.#places[index] ?? -1;
    if (place < 0 || order !== this.order) return -1;
    const isHeld =
      order.buffers[place] === this.buffers[index] &&
      order.starts[place] === this.starts[index] &&
      order.ends[place] === this.ends[index];
    return isHeld ? place : -1;
  }

  /** Has it bytes of its own? They are an element as it is on the wire. */
  isOwn(index: number): boolean {
    return this.#places[index] === -1;
  }

  /**
   * Taken apart now; the reader of 100,000 stops for breath between them. What does not decode is `unreadable`; the
   * elements around it are not touched by that.
   */
  at(index: number): WireResource | undefined {
    const buffer = this.buffers[index];
    const start = this.starts[index];
    const end = this.ends[index];
    if (buffer === undefined || start === undefined || end === undefined) return undefined;
    if (this.isOwn(index)) {
      return this.isWrapper
        ? readWrapperFields(buffer.subarray(start, end))
        : readAnyFields(buffer, start, end);
    }
    return { type_url: this.order?.typeUrl ?? '', value: buffer.subarray(start, end) };
  }

  *[Symbol.iterator](): Generator<WireResource> {
    for (let index = 0; index < this.length; index++) {
      const resource = this.at(index);
      if (resource !== undefined) yield resource;
    }
  }
}

const nothing = Buffer.alloc(0);
