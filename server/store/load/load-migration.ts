import { sql } from 'kysely';
import { createTables, dropTables, type TableList } from '../create-tables';
import type { StoreEngine, StoreTransaction } from '../schema';

const tables: TableList = {
  load_series: [{ id: 'big', shard: 'int', client: 'bytes', cluster: 'bytes', series: 'bytes' }, 'id'],
  load_raw: [{ id: 'big', minute: 'big', rolled: 'small', bytes: 'bytes' }, 'id'],
  load_raw_times: [{ id: 'big', first_at: 'big', last_at: 'big' }, 'id'],
  load_sums: [
    { id: 'bigid', tier: 'small', shard: 'int', begins_at: 'big', rolled: 'small', bytes: 'bytes' },
    'id',
  ],
  load_fleet: [{ id: 'bigid', minute: 'big', rolled: 'small', bytes: 'bytes' }, 'id'],
  load_reach: [{ tier: 'small', from_at: 'big' }, 'tier'],
};

/** An index entry of PostgreSQL has at most 2,704 bytes, and a name may be longer. */
export const indexedBytes = 200;

export async function createLoadTables(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await createTables(trx, engine, tables);
  await createLoadIndexes(trx);
}

/** Creates those that do not exist. */
export async function createLoadIndexes({ schema }: StoreTransaction): Promise<void> {
  const index = (name: string, on: string, ...columns: string[]) =>
    schema.createIndex(`${on}_by_${name}`).ifNotExists().on(on).columns(columns);
  for (const column of ['client', 'cluster']) {
    await index(column, 'load_series')
      .expression(sql`substr(${sql.ref(column)}, 1, ${sql.lit(indexedBytes)})`)
      .execute();
  }
  await index('minute', 'load_raw', 'rolled', 'minute').execute();
  await index('minute', 'load_fleet', 'rolled', 'minute').execute();
  await index('time', 'load_sums', 'tier', 'shard', 'begins_at').execute();
  await index('age', 'load_sums', 'tier', 'begins_at').execute();
  // The condition of an index has no parameters.
  await index('open', 'load_sums', 'begins_at').where(openMinutes).execute();
}

/** Minutes that are in no hour yet. */
export const openMinutes = sql<boolean>`tier = 1 and rolled = 0`;

export const dropLoadTables = (trx: StoreTransaction): Promise<void> => dropTables(trx, tables);

const waitingTables: TableList = {
  load_waiting: [{ id: 'bigid', series: 'bytes', bytes: 'bytes' }, 'id'],
};

export const createWaitingLoad = (trx: StoreTransaction, engine: StoreEngine): Promise<void> =>
  createTables(trx, engine, waitingTables);

export const dropWaitingLoad = (trx: StoreTransaction): Promise<void> => dropTables(trx, waitingTables);
