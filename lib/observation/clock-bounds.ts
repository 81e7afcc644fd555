import type { EpochMs } from '../xds/units';
import type { ClientConfigChanged } from './observation';

/**
 * The bounds of a source's clock, as the times in its reports show them: it is ahead of the clock of this process by
 * at least `fromMs` and at most `toMs`. Times of different clocks are never compared to decide an order.
 */
export interface ClockBounds {
  /** The newest `lastUpdated` so far, by the clock of the source. */
  readonly newestUpdate: EpochMs;
  readonly fromMs: number;
  /** null: no update was seen between two polls. */
  readonly toMs: number | null;
}

type Report = Pick<ClientConfigChanged, 'changed' | 'at' | 'previousAt'>;

/** An update that is newer than all before it happened after the previous poll, and any update before the end of the poll. */
export function boundClock(
  known: ClockBounds | undefined,
  { changed, at, previousAt }: Report,
): ClockBounds | undefined {
  let newestUpdate = known?.newestUpdate ?? 0;
  for (const { lastUpdated } of changed) newestUpdate = Math.max(newestUpdate, lastUpdated ?? 0);
  if (newestUpdate === (known?.newestUpdate ?? 0)) return known;
  const fromMs = newestUpdate - at;
  const toMs = known === undefined || previousAt === undefined ? null : newestUpdate - previousAt;
  const lowest = Math.max(fromMs, known?.fromMs ?? fromMs);
  const highest = Math.min(toMs ?? Number.POSITIVE_INFINITY, known?.toMs ?? Number.POSITIVE_INFINITY);
  // The clock was set.
  if (lowest > highest) return { newestUpdate, fromMs, toMs };
  return { newestUpdate, fromMs: lowest, toMs: Number.isFinite(highest) ? highest : null };
}
