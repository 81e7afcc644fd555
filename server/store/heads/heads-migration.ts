import { sql } from 'kysely';
import { createTables, dropTables, type TableList } from '../create-tables';
import type { StoreEngine, StoreTransaction } from '../schema';
import { indexedNode } from './head-filter';

const head = {
  ...({ id: 'bytes', name: 'bytes', status: 'big', changed_at: 'big', fresh: 'small' } as const),
  ...({ worst: 'small', trouble: 'int', waiting: 'small', nacks: 'int', is_whole: 'small' } as const),
  digest: 'bytes',
} as const;

const sameTables: TableList = {
  head_contents: [{ id: 'bytes', json: 'bytes' }, 'id'],
  heads_position: [{ id: 'int', seq: 'big', version: 'big', totals: 'bytes' }, 'id'],
};

/** The tables of version 5. */
const firstTables: TableList = { client_heads: [{ ...head, facts: 'bytes' }, 'id'], ...sameTables };

const tables: TableList = {
  client_heads: [
    {
      ...head,
      ...({ size: 'big', resources: 'int', node_id: 'bytes', trouble_text: 'bytes' } as const),
      ...({ node_facts: 'bytes', config_facts: 'bytes', other_facts: 'bytes' } as const),
    },
    'id',
  ],
  head_facts: [{ part: 'small', id: 'bytes', facts: 'bytes' }, 'part', 'id'],
  ...sameTables,
};

const issueTables: TableList = { client_issues: [{ id: 'bytes', issues: 'bytes' }, 'id'] };

const indexBy = ({ schema }: StoreTransaction, name: string) =>
  schema.createIndex(`client_heads_by_${name}`).on('client_heads');

export async function createFirstHeadTables(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await createTables(trx, engine, firstTables);
  await createFirstIndexes(trx);
}

async function createFirstIndexes(trx: StoreTransaction): Promise<void> {
  await indexBy(trx, 'name').columns(['name', 'id']).execute();
  await indexBy(trx, 'status').columns(['status', 'name', 'id']).execute();
  // The condition of an index has no parameters.
  for (const few of ['trouble', 'nacks', 'waiting'])
    await indexBy(trx, few).columns(['status', 'name', 'id']).where(sql.ref(few), '>', sql.lit(0)).execute();
}

export const dropFirstHeadTables = (trx: StoreTransaction): Promise<void> => dropTables(trx, firstTables);

/** The process that writes the heads writes all of them anew. */
export async function addHeadColumns(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await dropFirstHeadTables(trx);
  await createTables(trx, engine, tables);
  await createFirstIndexes(trx);
  await indexBy(trx, 'node').expression(indexedNode).execute();
  await indexBy(trx, 'changed').column('changed_at').execute();
  await indexBy(trx, 'size').column('size').execute();
}

export const createClientIssues = (trx: StoreTransaction, engine: StoreEngine): Promise<void> =>
  createTables(trx, engine, issueTables);

export const dropClientIssues = (trx: StoreTransaction): Promise<void> => dropTables(trx, issueTables);

export async function removeHeadColumns(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await dropTables(trx, tables);
  await createFirstHeadTables(trx, engine);
}
