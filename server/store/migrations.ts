import { type Kysely, sql } from 'kysely';
import { NewerStoreError } from '../store-format';
import { createTables, dropTables, type TableList } from './create-tables';
import { createLoadTables, dropLoadTables } from './load/load-migration';
import type { StoreEngine, StoreTables, StoreTransaction } from './schema';

interface Migration {
  up(trx: StoreTransaction, engine: StoreEngine): Promise<void>;
  /** Returns to the previous version. What that version cannot contain is lost. */
  down(trx: StoreTransaction, engine: StoreEngine): Promise<void>;
}

/** Migration i leads from version i to version i + 1. Released migrations are never changed. */
export const migrations: readonly Migration[] = [
  { up: createFirst, down: (trx) => dropTables(trx, tables) },
  { up: createLoadTables, down: dropLoadTables },
];

/** Any number that no other program is likely to use: one process migrates at a time. */
const migrationLock = 0x78647363;

/**
 * Leads the database to a version, up or down, in one transaction. Returns the version that it had. Throws
 * NewerStoreError.
 */
export function migrate(
  { db, engine }: { readonly db: Kysely<StoreTables>; readonly engine: StoreEngine },
  target = migrations.length,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx);
    const found = await readVersion(trx);
    if (found > migrations.length) {
      throw new NewerStoreError(migrations.length, found);
    }
    for (let version = found; version < target; version++) await migrations[version]?.up(trx, engine);
    for (let version = found; version > target; version--) {
      await migrations[version - 1]?.down(trx, engine);
    }
    if (found !== target) {
      await sql`update store_version set version = ${target}`.execute(trx);
    }
    return found;
  });
}

/** Returns 0 for an empty database. */
async function readVersion(trx: StoreTransaction): Promise<number> {
  await trx.schema
    .createTable('store_version')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  const { rows } = await sql<{ version: number }>`select version from store_version`.execute(trx);
  if (rows[0] !== undefined) return rows[0].version;
  await sql`insert into store_version (version) values (0)`.execute(trx);
  return 0;
}

/** The tables of version 1. */
const tables: TableList = {
  log_heads: [{ id: 'int', seq: 'big', checkpoint_seq: 'big', texts_version: 'big' }, 'id'],
  collectors: [{ id: 'bytes', n: 'big' }, 'id'],
  texts: [{ id: 'id', role: 'small', hash: 'bytes', text: 'bytes' }, 'id'],
  observations: [
    {
      ...({ seq: 'big', at: 'big', kind: 'small', vantage: 'small', source: 'int', client: 'int?' } as const),
      ...({ stream: 'int?', types: 'int?', nonce: 'int?', took: 'big?', rejected: 'small' } as const),
    },
    'seq',
  ],
  terms: [{ text: 'int', seq: 'big' }, 'text', 'seq'],
  payloads: [{ first_seq: 'big', count: 'int', size: 'int', sealed: 'small', bytes: 'bytes' }, 'first_seq'],
  bodies: [{ hash: 'bytes', type_url: 'bytes', size: 'int', last_seq: 'big', bytes: 'bytes' }],
  body_holders: [{ hash: 'bytes', holder: 'bytes' }, 'hash', 'holder'],
  client_snapshots: [{ client: 'int', seq: 'big', begins_at: 'big', kept_until: 'big', bytes: 'bytes' }],
  state: [{ key: 'bytes', json: 'bytes', version: 'int' }, 'key'],
  permalinks: [{ id: 'bytes', created_at: 'big', content: 'bytes' }, 'id'],
  pins: [
    { id: 'id', from_at: 'big', to_at: 'big', client_id: 'bytes?', label: 'bytes', created_at: 'big' },
    'id',
  ],
  gaps: [{ from_seq: 'big', to_seq: 'big', from_at: 'big', to_at: 'big', reason: 'bytes' }, 'from_seq'],
};

async function createFirst(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await createTables(trx, engine, tables);
  const { schema } = trx;
  const index = (name: string, on: string, ...columns: string[]) =>
    schema.createIndex(`${on}_by_${name}`).on(on).columns(columns);
  await index('hash', 'texts', 'hash').unique().execute();
  await index('role', 'texts', 'role').execute();
  await index('client', 'observations', 'client', 'seq').execute();
  await index('stream', 'observations', 'stream', 'nonce', 'seq').execute();
  await index('types', 'observations', 'types', 'seq').execute();
  await index('at', 'observations', 'at', 'kind', 'types').execute();
  // The condition of an index has no parameters.
  await index('rejection', 'observations', 'seq').where(sql.ref('rejected'), '=', sql.lit(1)).execute();
  await index('seal', 'payloads', 'first_seq').where(sql.ref('sealed'), '=', sql.lit(0)).execute();
  await index('hash', 'bodies', 'hash', 'type_url').unique().execute();
  await index('last_seq', 'bodies', 'last_seq').execute();
  await index('holder', 'body_holders', 'holder').execute();
  await index('client', 'client_snapshots', 'client', 'seq').unique().execute();
  await sql`insert into log_heads (id, seq, checkpoint_seq, texts_version) values (1, 0, 0, 0)`.execute(trx);
}
