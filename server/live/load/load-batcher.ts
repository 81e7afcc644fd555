import type { LoadScope, LoadSeries } from '@/lib/load/load-series';
import { floorTo, minuteMs } from '@/lib/load/plan-load-reading';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { ClusterLoad } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { NewSeries } from '../../store/load/load-rows';
import { LoadBlockWriter, readLoadValues } from './load-block';
import { LoadNames } from './load-names';
import type { LoadBatch } from './load-store';

export const maxSeries = 1_000_000;
/** Twice as many as LoadTable has rows of a client, because endpoints and named metrics are series as well. */
export const maxSeriesOfClient = 20_000;

/** Numbers series, and encodes their values into blocks of a minute. */
export class LoadBatcher {
  readonly #names = new LoadNames(maxSeries, maxSeriesOfClient);
  /** Blocks that are being filled; the key is the minute. */
  #blocks = new Map<EpochMs, LoadBlockWriter>();
  /** Values beyond the limits of series. */
  leftOut = 0;

  /** `series` have been numbered before. */
  constructor(series: readonly NewSeries[]) {
    this.#names.restore(series);
  }

  /** Adds the report of a client on one cluster. */
  observe(scope: LoadScope, cluster: ClusterLoad, at: EpochMs): void {
    const series = this.#names.streamOf(scope);
    const block = this.#blockOf(at);
    splitLoadReport(cluster, at, (part, values) => {
      const id = this.#names.idOf(series, scope, part);
      if (id === undefined) this.leftOut += 1;
      else block.add(id, part.kind, values);
    });
  }

  /**
   * Adds values that another recorder has numbered (LoadExcerpt.values). Returns the number of reports on clusters among them.
   * Throws a RangeError, and adds nothing, if the bytes are no values.
   */
  add(values: Uint8Array, findSeries: (id: number) => LoadSeries | undefined): number {
    readLoadValues(values, () => undefined);
    let reports = 0;
    readLoadValues(values, (id, kind, each) => {
      if (kind === 'cluster') reports += 1;
      const series = findSeries(id);
      const own = series && this.#names.idOf(this.#names.streamOf(series.scope), series.scope, series.part);
      if (own === undefined) this.leftOut += 1;
      else this.#blockOf(each.at).add(own, kind, each);
    });
    return reports;
  }

  #blockOf(at: EpochMs): LoadBlockWriter {
    const minute = floorTo(at, minuteMs);
    const block = this.#blocks.get(minute) ?? new LoadBlockWriter();
    this.#blocks.set(minute, block);
    return block;
  }

  /** Returns what was added since the last call, with the series that are new; undefined if there is nothing. */
  take(): Omit<LoadBatch, 'firstId'> | undefined {
    if (this.#blocks.size === 0) return undefined;
    const blocks = Array.from(this.#blocks, ([minute, block]) => ({ minute, bytes: block.finish() }));
    this.#blocks = new Map();
    return { series: this.#names.takeNew(), blocks };
  }
}
