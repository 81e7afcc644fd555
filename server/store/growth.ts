import type { Kysely } from 'kysely';
import type { EpochMs } from '@/lib/xds/units';
import type { StoreTables } from './schema';

export interface Growth {
  readonly observationsPerMinute: number;
  /** Growth of the database, bodies included, estimated from the average size of an observation. */
  readonly bytesPerMinute: number;
}

const minuteMs = 60_000;

/**
 * Measures the time up to `now`, at most from the beginning of the log. `whole` is the number of all observations, and the size of
 * the database. undefined if the log has nothing of that time.
 */
export async function measureGrowth(
  db: Kysely<StoreTables>,
  whole: { readonly observations: number; readonly bytes: number; readonly oldestAt: EpochMs | undefined },
  now: EpochMs,
  windowMs: number,
): Promise<Growth | undefined> {
  if (whole.oldestAt === undefined) return undefined;
  const from = Math.max(now - windowMs, whole.oldestAt);
  if (from > now) return undefined;
  const { count } = await db
    .selectFrom('observations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('at', '>=', Math.ceil(from))
    .executeTakeFirstOrThrow();
  const minutes = Math.max(1, (now - from) / minuteMs);
  return {
    observationsPerMinute: count / minutes,
    bytesPerMinute: ((count / Math.max(1, whole.observations)) * whole.bytes) / minutes,
  };
}
