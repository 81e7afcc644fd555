import type { LoadSeries } from './load-series';
import type { LoadSpan } from './plan-load-reading';

export interface LoadExcerpt {
  /** The time range that was read, [from, to). */
  readonly span: LoadSpan;
  /** The series with values. Their ids are valid in this excerpt only. */
  readonly series: readonly NumberedSeries[];
  /**
   * The values in the format of the recorder. Each is of one report, or the sum over a time step with the time of its
   * newest report.
   */
  readonly values: Uint8Array;
}

export interface NumberedSeries {
  readonly id: number;
  readonly series: LoadSeries;
}
