import type { RepeatableResource } from './cached-resource';
import type { ResourceList, WireResource } from './response-envelope';
import type { ResponseOrder } from './response-order';
import { readAnyFields, readWrapperFields } from './wire-resource';

interface Run {
  readonly index: number;
  readonly place: number;
  count: number;
}

/** The elements of a message by their offsets. An element becomes an object only when it is read. */
export class WireList implements ResourceList {
  readonly #isWrapper: boolean;
  readonly #order?: ResponseOrder;

  /** The lists contain buffer, start and end of each element; a repeat has no bytes. */
  readonly buffers: Buffer[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** The held resource that each element repeats, or undefined if the element has bytes. */
  readonly #held: (RepeatableResource | undefined)[] = [];
  /** The place of each element in `order`, or -1 unless it is a repeat. */
  readonly #places: number[] = [];
  /** Consecutive elements that repeat consecutive places of `order`. With one change there are two runs. */
  readonly #runs: Run[] = [];
  #nextRun = 0;
  /** The revision of the order at the start of the message. */
  readonly #revision: number;

  constructor(
    /** True for wrapping Resources (delta), false for Any (state of the world). */
    isWrapper: boolean,
    order?: ResponseOrder,
  ) {
    this.#isWrapper = isWrapper;
    this.#order = order;
    this.#revision = order?.revision ?? 0;
  }

  get length(): number {
    return this.starts.length;
  }

  add(buffer: Buffer, start: number, end: number): void {
    this.#push(buffer, start, end, undefined, -1);
  }

  /** Adds an Any whose value equals the held resource at a place of the order. */
  addRepeat(held: RepeatableResource, place: number): void {
    const run = this.#runs.at(-1);
    const isNext = run !== undefined && run.index + run.count === this.length;
    if (isNext && run.place + run.count === place) run.count += 1;
    else this.#runs.push({ index: this.length, place, count: 1 });
    this.#push(nothing, 0, 0, held, place);
  }

  /** Returns the run that begins at an element, unless the held resources have changed. Indexes must be ascending. */
  runAt(order: ResponseOrder, index: number): Readonly<Run> | undefined {
    if (order !== this.#order || order.revision !== this.#revision) return undefined;
    while ((this.#runs[this.#nextRun]?.index ?? index) < index) this.#nextRun += 1;
    const run = this.#runs[this.#nextRun];
    return run?.index === index ? run : undefined;
  }

  #push(
    buffer: Buffer,
    start: number,
    end: number,
    held: RepeatableResource | undefined,
    place: number,
  ): void {
    this.buffers.push(buffer);
    this.starts.push(start);
    this.ends.push(end);
    this.#held.push(held);
    this.#places.push(place);
  }

  /** Returns the place of a repeat in the order if the resource is still held there, otherwise -1. */
  placeIn(order: ResponseOrder, index: number): number {
    const held = this.#held[index];
    const place = this.#places[index] ?? -1;
    if (held === undefined || order !== this.#order) return -1;
    return order.held[place]?.digest === held.digest ? place : -1;
  }

  hasBytes(index: number): boolean {
    return this.#held[index] === undefined;
  }

  /** Reads an element. One that does not decode is `unreadable` and does not affect the others. */
  at(index: number): WireResource | undefined {
    const buffer = this.buffers[index];
    const start = this.starts[index];
    const end = this.ends[index];
    if (buffer === undefined || start === undefined || end === undefined) return undefined;
    const held = this.#held[index];
    if (held !== undefined) {
      const name = this.#order?.names[this.#places[index] ?? -1] ?? held.state.name;
      return { type_url: this.#order?.typeUrl ?? '', kept: { name, held } };
    }
    return this.#isWrapper
      ? readWrapperFields(buffer.subarray(start, end))
      : readAnyFields(buffer, start, end);
  }

  *[Symbol.iterator](): Generator<WireResource> {
    for (let index = 0; index < this.length; index++) {
      const resource = this.at(index);
      if (resource !== undefined) yield resource;
    }
  }

  /** Frees the message, which may have 107 MB, while its envelope is still in use. */
  release(): void {
    const { buffers, starts, ends } = this;
    for (const list of [buffers, starts, ends, this.#held, this.#places, this.#runs]) list.length = 0;
  }
}

const nothing = Buffer.alloc(0);
