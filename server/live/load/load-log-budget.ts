import type { LoadReported, Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';

/** Limits the load reports in the log: per second over time, and at once. */
const perSecond = 20;
const atOnce = 400;
/**
 * When half of the budget is used, a stream gets one report per this time, because streams that report at the
 * same interval would otherwise always be first.
 */
const turnMs = 60_000;

/**
 * Limits how many load reports become observations in the log. A fleet sends thousands per second, which would fill the
 * log within minutes; their numbers are stored as series. Omitted reports are counted, and the count is in the next
 * admitted report of the stream.
 */
export class LoadLogBudget {
  #left = atOnce;
  #at: EpochMs = 0;
  readonly #streams = new Map<string, { leftOut: number; admittedAt: EpochMs }>();

  /** Returns the observation to log, or undefined if it is omitted. */
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
