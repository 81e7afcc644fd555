import type { LoadKind, LoadScope, LoadSeries } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { isImportedClient } from '../../client-id';
import { LoadNames } from './load-names';

/** Of a series of the fleet. */
export interface FleetSum extends LoadValues {
  readonly kind: LoadKind;
}

interface Numbered {
  readonly id: number;
  readonly series: LoadSeries;
}

/** Kinds of interval; see `intervalClassOf`. */
const intervalClasses = 24;

/**
 * Reports whose intervals are about as long: 1 s, 2, 4, 8, 16... each from 1.41 times the one before on, so that the usual
 * ones (5, 10, 15, 30, 60 s) are in the middle of theirs. 0: they do not say.
 */
export function intervalClassOf(intervalUs: number): number {
  if (intervalUs <= 0) return 0;
  return Math.min(intervalClasses - 1, Math.max(1, 1 + Math.round(Math.log2(intervalUs / 1e6))));
}

/**
 * Series of all clients together, so that what is asked of a cluster need not be read client by client: each series of a
 * client adds to one of the fleet, which is the same but for who reports. They have negative numbers, and no client; their
 * `stream` is the class of the interval, since rates are taken over it. Clients of files are not of the fleet.
 */
export class LoadFleet {
  /** What series of clients add to, whatever their interval. */
  readonly #kinds: LoadNames;
  readonly #series: LoadSeries[] = [];
  readonly #names: LoadNames;
  /** By series of a client: a number of `#kinds`; 0: none, or too many. */
  #kindOf = new Int32Array(1_024);
  /** By kind and class of interval: the fleet's series; 0: not named yet. */
  #ids = new Int32Array(256 * intervalClasses);
  #count = 0;

  /** No series of a client is left out. */
  isComplete = true;

  constructor(limit: number) {
    this.#kinds = new LoadNames(limit);
    this.#names = new LoadNames(limit);
  }

  /** Series of clients that are of the fleet. */
  get count(): number {
    return this.#count;
  }

  /** What the file has. */
  restore(all: readonly Numbered[]): void {
    this.#names.restore(all.filter(({ id }) => id < 0).map(({ id, series }) => ({ id: -id, series })));
    this.add(all.filter(({ id }) => id > 0));
  }

  /** Series of clients, newly named. */
  add(all: readonly Numbered[]): void {
    for (const { id, series } of all) {
      if (isImportedClient(series.scope.clientId)) continue;
      const scope: LoadScope = { ...series.scope, clientId: '', stream: 0 };
      const kind = this.#kinds.idOf(this.#kinds.streamOf(scope), scope, series.part);
      this.#count += 1;
      if (kind === undefined) {
        this.isComplete = false;
        continue;
      }
      this.#series[kind] ??= { scope, part: series.part };
      if (id >= this.#kindOf.length) this.#kindOf = grown(this.#kindOf, id + 1);
      this.#kindOf[id] = kind;
    }
    this.#kinds.takeNew();
  }

  /** The fleet's series that a client's adds to with a report of such an interval; 0: none. */
  of(series: number, intervalClass: number): number {
    const kind = this.#kindOf[series] ?? 0;
    if (kind === 0) return 0;
    const place = kind * intervalClasses + intervalClass;
    const known = this.#ids[place] ?? 0;
    return known === 0 ? this.#name(kind, intervalClass, place) : known;
  }

  #name(kind: number, intervalClass: number, place: number): number {
    const series = this.#series[kind];
    if (series === undefined) return 0;
    const scope: LoadScope = { ...series.scope, stream: intervalClass };
    const id = this.#names.idOf(this.#names.streamOf(scope), scope, series.part);
    if (id === undefined) {
      this.isComplete = false;
      return 0;
    }
    if (place >= this.#ids.length) this.#ids = grown(this.#ids, place + 1);
    this.#ids[place] = -id;
    return -id;
  }

  /** Series of the fleet that were named since. */
  takeNew(): readonly Numbered[] {
    return this.#names.takeNew().map(({ id, series }) => ({ id: -id, series }));
  }
}

function grown(numbers: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(Math.max(least, Math.ceil(numbers.length * 1.5)));
  more.set(numbers);
  return more;
}
