import type { FieldReader } from '../../model/field-reader';
import { lowerAscii } from '../../requests/string-match';
import { beginOf } from './containment';
import { type Point, partOfHeader } from './witness-parts';

interface Bucket {
  /** Routes by one exact value that they demand, as in "header x-tenant=a". */
  readonly byValue: Map<string, number[]>;
  readonly others: number[];
}

/** Finds the routes that can match a request by what their paths begin with and one exact value. */
export class RouteIndex {
  readonly #exact = new Map<string, Bucket>();
  readonly #prefixes = new Map<string, Bucket>();
  readonly #lengths: number[];

  /** `isPlain`: a header of this name has the value that is sent. undefined: a route that is not used. */
  constructor(matches: readonly (FieldReader | undefined)[], isPlain: (name: string) => boolean) {
    for (const [index, match] of matches.entries()) {
      if (match === undefined) continue;
      const map = match.has('path') ? this.#exact : this.#prefixes;
      const key = lowerAscii(beginOf(match));
      const bucket = map.get(key) ?? { byValue: new Map<string, number[]>(), others: [] };
      map.set(key, bucket);
      const value = findExactValue(match, isPlain);
      const list = value === undefined ? bucket.others : (bucket.byValue.get(value) ?? []);
      if (value !== undefined) bucket.byValue.set(value, list);
      list.push(index);
    }
    this.#lengths = [...new Set([...this.#prefixes.keys()].map(({ length }) => length))].sort(
      (a, b) => a - b,
    );
  }

  /** The routes before `before` that may match, in order, and a measure of the work to find them. */
  find(point: Point, before: number): { readonly routes: readonly number[]; readonly work: number } {
    const path = lowerAscii(/^[^?#]*/.exec(point.get('path') ?? '')?.[0] ?? '');
    const buckets = [this.#exact.get(path)];
    let work = 1;
    for (const length of this.#lengths) {
      if (length > path.length) break;
      work += 1;
      buckets.push(this.#prefixes.get(path.slice(0, length)));
    }
    const routes: number[] = [];
    const add = (list: readonly number[] | undefined): void => {
      for (const index of list ?? []) {
        if (index >= before) break;
        routes.push(index);
      }
    };
    const values = [...point].map(([part, value]) => `${part}=${value}`);
    for (const bucket of buckets) {
      if (bucket === undefined) continue;
      add(bucket.others);
      if (bucket.byValue.size > 0) for (const value of values) add(bucket.byValue.get(value));
    }
    return { routes: routes.sort((a, b) => a - b), work: work + routes.length };
  }
}

/** Prefers a header or a parameter to the method, which many routes share. */
function findExactValue(match: FieldReader, isPlain: (name: string) => boolean): string | undefined {
  let method: string | undefined;
  for (const field of ['headers', 'queryParameters'] as const)
    for (const matcher of match.objects(field)) {
      const name = matcher.string('name');
      const text = matcher.object('stringMatch');
      const value = matcher.string('exactMatch') || (text?.string('exact') ?? '');
      if (value === '' || matcher.boolean('invertMatch') || text?.boolean('ignoreCase') === true) continue;
      if (field === 'queryParameters') return `query ${name}=${value}`;
      const part = partOfHeader(name);
      if (part === 'method') method ??= `${part}=${value}`;
      else if (part.startsWith('header ') && isPlain(name)) return `${part}=${value}`;
    }
  return method;
}
