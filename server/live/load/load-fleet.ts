import type { LoadKind, LoadScope, LoadSeries } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import type { NewSeries } from '../../store/load/load-rows';
import { LoadNames } from './load-names';

export interface FleetSum extends LoadValues {
  readonly kind: LoadKind;
}

const intervalClasses = 24;

/**
 * Classifies intervals by powers of two (1 s, 2, 4, 8, 16...), with boundaries at 1.41 times each power, so that the
 * usual intervals (5, 10, 15, 30, 60 s) are not at a boundary. Class 0 means that no interval was reported.
 */
export function intervalClassOf(intervalUs: number): number {
  if (intervalUs <= 0) return 0;
  return Math.min(intervalClasses - 1, Math.max(1, 1 + Math.round(Math.log2(intervalUs / 1e6))));
}

/**
 * Sums of all clients by series, so that questions about a cluster need not read every client. Each series of a client
 * is added to the fleet's series of the same scope, which has no client. The numbers of the fleet's series are
 * negative, and their `stream` is the class of the interval, because rates are computed from it. Imported clients are
 * left out.
 */
export class LoadFleet {
  readonly #kinds: LoadNames;
  readonly #series: LoadSeries[] = [];
  readonly #names: LoadNames;
  /** The index is the series of a client, the value its number in `#kinds`; 0 means none, or too many. */
  #kindOf = new Int32Array(1_024);
  /** The index combines kind and class of interval, the value is the fleet's series, or 0 without a number. */
  #ids = new Int32Array(256 * intervalClasses);
  #count = 0;

  /** False if a series of a client was left out. */
  isComplete = true;

  constructor(limit: number) {
    this.#kinds = new LoadNames(limit);
    this.#names = new LoadNames(limit);
  }

  /** Number of clients' series that are summed. */
  get count(): number {
    return this.#count;
  }

  restore(all: readonly NewSeries[]): void {
    this.#names.restore(all.filter(({ id }) => id < 0).map(({ id, series }) => ({ id: -id, series })));
    this.add(all.filter(({ id }) => id > 0));
  }

  add(all: readonly NewSeries[]): void {
    for (const { id, series } of all) {
      if (series.scope.fileId !== undefined) continue;
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

  /** Returns the fleet's series to which a client's series with such an interval is added, or 0 if there is none. */
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

  /** Returns the fleet's series that were numbered since the last call. */
  takeNew(): readonly NewSeries[] {
    return this.#names.takeNew().map(({ id, series }) => ({ id: -id, series }));
  }
}

function grown(numbers: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(Math.max(least, Math.ceil(numbers.length * 1.5)));
  more.set(numbers);
  return more;
}
