import type { EpochMs } from '@/lib/xds/units';
import type { LogBlocks } from '../blocks/log-blocks';

export interface Growth {
  readonly observationsPerMinute: number;
  /** Growth of the file, bodies included, estimated from the average size of an observation. */
  readonly bytesPerMinute: number;
}

const minuteMs = 60_000;

/** Measures the time up to `now`, at most from the beginning of the log. undefined if the log has nothing of that time. */
export function measureGrowth(
  log: LogBlocks,
  fileBytes: number,
  now: EpochMs,
  windowMs: number,
): Growth | undefined {
  const oldestAt = log.oldest?.at;
  if (oldestAt === undefined) return undefined;
  const from = Math.max(now - windowMs, oldestAt);
  if (from > now) return undefined;
  let count = 0;
  for (const { fromAt, toAt, count: held } of log.metas) {
    if (toAt < from) continue;
    const share = fromAt >= from ? 1 : (toAt - from) / Math.max(1, toAt - fromAt);
    count += held * share;
  }
  for (const { at } of log.tail) if (at >= from) count += 1;
  const minutes = Math.max(1, (now - from) / minuteMs);
  return {
    observationsPerMinute: count / minutes,
    bytesPerMinute: ((count / Math.max(1, log.count)) * fileBytes) / minutes,
  };
}
