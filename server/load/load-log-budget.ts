import type { LoadReported, Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';

/** Reports that the log takes: a second in the long run, and at once. */
const perSecond = 20;
const atOnce = 400;
/** While half of it is used up, a stream comes once in so long: those that report at the same beat would always be first. */
const turnMs = 60_000;

/**
 * How many load reports become observations in the log. A fleet reports thousands a second, and all of their numbers are in
 * the series; the log is for what is rare, and would be full of them in minutes. What is left out is counted, and reported
 * with the stream's next report that is let in.
 */
export class LoadLogBudget {
  #left = atOnce;
  #at: EpochMs = 0;
  readonly #streams = new Map<string, { leftOut: number; admittedAt: EpochMs }>();

  /** What goes into the log; undefined: this one does not. */
  admit(observation: Observation): Observation | undefined {
    if (observation.kind === 'stream-closed') this.#streams.delete(observation.streamId);
    return observation.kind === 'load-reported' ? this.#admitReport(observation) : observation;
  }

  #admitReport(report: LoadReported): LoadReported | undefined {
    const { at, streamId } = report;
    const passedMs = Math.max(0, at - this.#at);
    this.#at = Math.max(this.#at, at);
    this.#left = Math.min(atOnce, this.#left + (passedMs * perSecond) / 1_000);
    const stream = this.#streams.get(streamId) ?? { leftOut: 0, admittedAt: Number.NEGATIVE_INFINITY };
    this.#streams.set(streamId, stream);
    const isScarce = this.#left < atOnce / 2;
    if (this.#left < 1 || (isScarce && at - stream.admittedAt < turnMs)) {
      stream.leftOut += 1;
      return undefined;
    }
    const { leftOut } = stream;
    this.#left -= 1;
    stream.leftOut = 0;
    stream.admittedAt = at;
    return leftOut === 0 ? report : { ...report, leftOut };
  }
}
