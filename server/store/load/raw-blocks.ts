import type { NumberedSeries } from '@/lib/load/load-excerpt';
import type { EpochMs } from '@/lib/xds/units';
import type { StoreDatabase } from '../schema';
import { textOfBytes } from '../text-bytes';
import { storedBytes } from './stored-bytes';

const idsAtOnce = 1_000;

/** Returns raw blocks that were appended after one, in the order of their ids. */
export function readRawAfter(
  { db, engine }: Pick<StoreDatabase, 'db' | 'engine'>,
  id: number,
  limit: number,
): Promise<{ readonly id: number; readonly firstAt: EpochMs; readonly bytes: Uint8Array }[]> {
  return db
    .selectFrom('load_raw')
    .innerJoin('load_raw_times', 'load_raw_times.id', 'load_raw.id')
    .select(['load_raw.id', 'first_at as firstAt', storedBytes(engine, 'load_raw.bytes').as('bytes')])
    .where('load_raw.id', '>', id)
    .orderBy('load_raw.id')
    .limit(limit)
    .execute();
}

/** Returns the series with these ids. */
export async function readSeriesOf(
  { db, engine }: Pick<StoreDatabase, 'db' | 'engine'>,
  ids: readonly number[],
): Promise<NumberedSeries[]> {
  const found: NumberedSeries[] = [];
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    const rows = await db
      .selectFrom('load_series')
      .select(['id', storedBytes(engine, 'load_series.series').as('series')])
      .where('id', 'in', ids.slice(from, from + idsAtOnce))
      .execute();
    for (const { id, series } of rows) found.push({ id, series: JSON.parse(textOfBytes(series)) });
  }
  return found;
}
