import type { LoadSeries } from './load-series';
import type { LoadSpan } from './plan-load-reading';

/** A part of the recorded load that goes elsewhere: into a permalink, or into a file. */
export interface LoadExcerpt {
  /** [from, to): of what was asked for, as far as it was read. */
  readonly span: LoadSpan;
  /** Those that have values in it; their numbers are of this excerpt alone. */
  readonly series: readonly NumberedSeries[];
  /**
   * Their values, as server/load/load-block.ts writes them. Each is of one report, or the sum over a step of
   * time with the time of its newest report.
   */
  readonly values: Uint8Array;
}

export interface NumberedSeries {
  readonly id: number;
  readonly series: LoadSeries;
}
