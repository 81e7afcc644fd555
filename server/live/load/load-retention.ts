import { floorTo, hourMs, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { LoadTables } from '../../store/load/load-tables';

export interface LoadRetention {
  readonly rawMs: number;
  readonly minutesMs: number;
  readonly hoursMs: number;
  /** Limit of the file; Number.MAX_SAFE_INTEGER: none. Above it, the oldest raw values are deleted first, then minutes, then hours. */
  readonly maxBytes: number;
}

export const defaultLoadRetention: LoadRetention = {
  rawMs: 6 * hourMs,
  minutesMs: 7 * 24 * hourMs,
  hoursMs: 400 * 24 * hourMs,
  maxBytes: 1_000_000_000,
};

export const keepAllLoad: LoadRetention = {
  rawMs: Number.MAX_SAFE_INTEGER,
  minutesMs: Number.MAX_SAFE_INTEGER,
  hoursMs: Number.MAX_SAFE_INTEGER,
  maxBytes: 4_000_000_000,
};

/** Does one step, and returns whether there is more to do. */
export async function keepLoadWithin(
  storage: LoadTables,
  retention: LoadRetention,
  now: EpochMs,
): Promise<boolean> {
  const { rawMs, minutesMs, hoursMs, maxBytes } = retention;
  const aged =
    (await storage.deleteRaw(floorTo(now - rawMs, minuteMs))) ||
    (await storage.deleteSums('minutes', floorTo(now - minutesMs, hourMs))) ||
    (await storage.deleteSums('hours', floorTo(now - hoursMs, hourMs)));
  if (aged) return true;
  const isLimited = maxBytes < Number.MAX_SAFE_INTEGER;
  if (isLimited && (await storage.usedBytes()) > maxBytes && (await deleteOldest(storage))) return true;
  await storage.shrink();
  return false;
}

async function deleteOldest(storage: LoadTables): Promise<boolean> {
  const { raw, minutes, hours } = await storage.oldest();
  if (raw !== null) return storage.deleteRaw(raw + minuteMs);
  if (minutes !== null) return storage.deleteSums('minutes', floorTo(minutes, hourMs) + hourMs);
  return hours !== null && storage.deleteSums('hours', hours + hourMs);
}
