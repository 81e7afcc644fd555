import type { SettledResource } from './cached-resource';
import type { ResourceList, WireResource } from './response-envelope';
import type { ResponseOrder } from './response-order';
import { readAnyFields, readWrapperFields } from './wire-resource';

interface Run {
  readonly index: number;
  readonly place: number;
  count: number;
}

/** The elements of a message, where they are: 100,000 of them are no objects until somebody looks at one. */
export class WireList implements ResourceList {
  /** By element: the buffer in which it is, and from where to where. Of a repeat there is nothing. */
  readonly buffers: Buffer[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** By element: what it repeats; undefined: it has bytes of its own. */
  readonly #held: (SettledResource | undefined)[] = [];
  /** Of a repeat: its place in `order`. */
  readonly #places: number[] = [];
  /** Elements one after the other that repeat what is one after the other in `order`: mostly all but one, in two runs. */
  readonly #runs: Run[] = [];
  #nextRun = 0;
  /** Of the order, when the message began. */
  readonly #revision: number;

  constructor(
    /** Resources in delta, Any in state of the world. */
    private readonly isWrapper: boolean,
    /** What may be repeated. */
    private readonly order?: ResponseOrder,
  ) {
    this.#revision = order?.revision ?? 0;
  }

  get length(): number {
    return this.starts.length;
  }

  add(buffer: Buffer, start: number, end: number): void {
    this.#push(buffer, start, end, undefined, -1);
  }

  /** An Any of the order's type, whose value is what came as this, at that place, the last time. */
  addRepeat(held: SettledResource, place: number): void {
    const run = this.#runs.at(-1);
    const isNext = run !== undefined && run.index + run.count === this.length;
    if (isNext && run.place + run.count === place) run.count += 1;
    else this.#runs.push({ index: this.length, place, count: 1 });
    this.#push(nothing, 0, 0, held, place);
  }

  /** The run that begins at an element, when nothing is held otherwise than it was. To be asked of one after the other. */
  runAt(order: ResponseOrder, index: number): Readonly<Run> | undefined {
    if (order !== this.order || order.revision !== this.#revision) return undefined;
    while ((this.#runs[this.#nextRun]?.index ?? index) < index) this.#nextRun += 1;
    const run = this.#runs[this.#nextRun];
    return run?.index === index ? run : undefined;
  }

  #push(buffer: Buffer, start: number, end: number, held: SettledResource | undefined, place: number): void {
    this.buffers.push(buffer);
    this.starts.push(start);
    this.ends.push(end);
    this.#held.push(held);
    this.#places.push(place);
  }

  /** Where it was in that order, when what it repeats is still held there; -1 otherwise. */
  placeIn(order: ResponseOrder, index: number): number {
    const held = this.#held[index];
    const place = this.#places[index] ?? -1;
    if (held === undefined || order !== this.order) return -1;
    return order.held[place]?.digest === held.digest ? place : -1;
  }

  /** Has it bytes of its own? They are an element as it is on the wire. */
  isOwn(index: number): boolean {
    return this.#held[index] === undefined;
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
    const held = this.#held[index];
    if (held !== undefined) {
      const name = this.order?.names[this.#places[index] ?? -1] ?? held.state.name;
      return { type_url: this.order?.typeUrl ?? '', kept: { name, held } };
    }
    return this.isWrapper
      ? readWrapperFields(buffer.subarray(start, end))
      : readAnyFields(buffer, start, end);
  }

  *[Symbol.iterator](): Generator<WireResource> {
    for (let index = 0; index < this.length; index++) {
      const resource = this.at(index);
      if (resource !== undefined) yield resource;
    }
  }

  /** Whoever waits with the response in hand would keep its 107 MB. */
  release(): void {
    const { buffers, starts, ends } = this;
    for (const list of [buffers, starts, ends, this.#held, this.#places, this.#runs]) list.length = 0;
  }
}

const nothing = Buffer.alloc(0);
