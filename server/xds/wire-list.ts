import type { ResourceList, WireResource } from './response-envelope';
import { LazyResource } from './wire-resource';

/** The elements of a message, where they are in it: 100,000 of them are no objects until somebody looks at one. */
export class WireList implements ResourceList {
  constructor(
    readonly message: Buffer,
    /** Where each begins and ends: two numbers each. */
    readonly bounds: readonly number[],
    /** Resources in delta, Any in state of the world. */
    private readonly isWrapper: boolean,
  ) {}

  get length(): number {
    return this.bounds.length / 2;
  }

  at(index: number): WireResource | undefined {
    const start = this.bounds[2 * index];
    const end = this.bounds[2 * index + 1];
    if (start === undefined || end === undefined) return undefined;
    return new LazyResource(this.message, start, end, this.isWrapper);
  }

  *[Symbol.iterator](): Generator<WireResource> {
    for (let index = 0; index < this.length; index++) {
      const resource = this.at(index);
      if (resource !== undefined) yield resource;
    }
  }
}
