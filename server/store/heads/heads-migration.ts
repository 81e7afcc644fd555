import { sql } from 'kysely';
import { createTables, dropTables, type TableList } from '../create-tables';
import type { StoreEngine, StoreTransaction } from '../schema';

const tables: TableList = {
  client_heads: [
    {
      ...({ id: 'bytes', name: 'bytes', status: 'big', changed_at: 'big', fresh: 'small' } as const),
      ...({ worst: 'small', trouble: 'int', waiting: 'small', nacks: 'int', is_whole: 'small' } as const),
      ...({ digest: 'bytes', facts: 'bytes' } as const),
    },
    'id',
  ],
  head_contents: [{ id: 'bytes', json: 'bytes' }, 'id'],
  heads_position: [{ id: 'int', seq: 'big', version: 'big', totals: 'bytes' }, 'id'],
};

export async function createHeadTables(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await createTables(trx, engine, tables);
  const index = (name: string, ...columns: string[]) =>
    trx.schema.createIndex(`client_heads_by_${name}`).on('client_heads').columns(columns);
  await index('name', 'name', 'id').execute();
  await index('status', 'status', 'name', 'id').execute();
  // The condition of an index has no parameters.
  for (const few of ['trouble', 'nacks', 'waiting'])
    await index(few, 'status', 'name', 'id').where(sql.ref(few), '>', sql.lit(0)).execute();
}

export const dropHeadTables = (trx: StoreTransaction): Promise<void> => dropTables(trx, tables);
