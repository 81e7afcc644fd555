import { sql } from 'kysely';
import type { StoreDatabase } from '../schema';
import { createLoadIndexes } from './load-migration';

/** The tables of version 1 that remain as they are, with their new names. */
const renamed = { raw: 'load_raw', raw_times: 'load_raw_times', rolled: 'load_sums', reach: 'load_reach' };
const oldIndexes = ['raw_by_minute', 'rolled_by_time', 'rolled_by_age', 'unrolled'];

const statements = [
  ...oldIndexes.map((name) => `drop index ${name}`),
  ...Object.entries(renamed).flatMap(([from, to]) => [
    `drop table ${to}`,
    `alter table ${from} rename to ${to}`,
  ]),
  `insert into load_series (id, shard, client, cluster, series)
     select id, shard, cast(client_id as blob), cast(cluster as blob), cast(json as blob) from series`,
  'insert into load_fleet (minute, rolled, bytes) select minute, rolled, bytes from fleet order by id',
  'drop table series',
  'drop table fleet',
];

/**
 * Converts the tables of a load file of version 1, if the store has them: in one transaction, and without copying values,
 * of which there may be 1 GB.
 */
export async function convertLoad({ db }: StoreDatabase): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'raw'`.execute(trx);
    if (rows.length === 0) return;
    for (const statement of statements) await sql.raw(statement).execute(trx);
    await createLoadIndexes(trx);
  });
}
