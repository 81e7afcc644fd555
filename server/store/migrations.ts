import { type Kysely, sql } from 'kysely';
import { NewerStoreError } from '../store-format';
import { createTables, dropTables, type TableList } from './create-tables';
import { createQuestionTable, dropQuestionTable } from './fleet-questions';
import {
  addHeadColumns,
  createClientIssues,
  createFirstHeadTables,
  dropClientIssues,
  dropFirstHeadTables,
  removeHeadColumns,
} from './heads/heads-migration';
import { createLeaseTables, dropLeaseTables } from './leases';
import { createLoadTables, createWaitingLoad, dropLoadTables, dropWaitingLoad } from './load/load-migration';
import type { StoreEngine, StoreTables, StoreTransaction } from './schema';

interface Migration {
  up(trx: StoreTransaction, engine: StoreEngine): Promise<void>;
  /** Returns to the previous version. What that version cannot contain is lost. */
  down(trx: StoreTransaction, engine: StoreEngine): Promise<void>;
}

/** Migration i leads from version i to version i + 1. Released migrations are never changed. */
export const migrations: readonly Migration[] = [
  { up: createFirstTables, down: dropFirstTables },
  { up: addSummaries, down: removeSummaries },
  { up: createLoadTables, down: dropLoadTables },
  { up: createLeaseTables, down: dropLeaseTables },
  { up: createFirstHeadTables, down: dropFirstHeadTables },
  { up: createQuestionTable, down: dropQuestionTable },
  { up: addHeadColumns, down: removeHeadColumns },
  { up: createWaitingLoad, down: dropWaitingLoad },
  { up: createClientIssues, down: dropClientIssues },
];

/** Position of `dump` in storedVantages. */
const dumpVantage = 4;

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
const firstTables: TableList = {
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

const summaryTables: TableList = {
  client_snapshots: [
    {
      ...({ client: 'int', seq: 'big', base_seq: 'big', rows: 'int', begins_at: 'big' } as const),
      ...({ kept_until: 'big', is_checkpoint: 'small', bytes: 'bytes' } as const),
    },
  ],
  log_parts: [
    { first_seq: 'big', last_seq: 'big', from_at: 'big', to_at: 'big', sealed: 'small', churn: 'bytes' },
    'first_seq',
  ],
  densities: [{ minute: 'big', kind: 'small', types: 'int', count: 'int' }, 'minute', 'kind', 'types'],
};

function index({ schema }: StoreTransaction, name: string, on: string, ...columns: string[]) {
  return schema.createIndex(`${on}_by_${name}`).on(on).columns(columns);
}

async function createFirstTables(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await createTables(trx, engine, firstTables);
  await index(trx, 'hash', 'texts', 'hash').unique().execute();
  await index(trx, 'role', 'texts', 'role').execute();
  await index(trx, 'client', 'observations', 'client', 'seq').execute();
  await index(trx, 'stream', 'observations', 'stream', 'nonce', 'seq').execute();
  await index(trx, 'types', 'observations', 'types', 'seq').execute();
  await index(trx, 'at', 'observations', 'at', 'kind', 'types').execute();
  // The condition of an index has no parameters.
  await index(trx, 'rejection', 'observations', 'seq').where(sql.ref('rejected'), '=', sql.lit(1)).execute();
  await index(trx, 'seal', 'payloads', 'first_seq').where(sql.ref('sealed'), '=', sql.lit(0)).execute();
  await index(trx, 'hash', 'bodies', 'hash', 'type_url').unique().execute();
  await index(trx, 'last_seq', 'bodies', 'last_seq').execute();
  await index(trx, 'holder', 'body_holders', 'holder').execute();
  await index(trx, 'client', 'client_snapshots', 'client', 'seq').unique().execute();
  await sql`insert into log_heads (id, seq, checkpoint_seq, texts_version) values (1, 0, 0, 0)`.execute(trx);
}

function dropFirstTables(trx: StoreTransaction): Promise<void> {
  return dropTables(trx, firstTables);
}

/** Adds what is counted and folded beside the log. No program has written observations into a store of version 1. */
async function addSummaries(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  const { rows } = await sql`select seq from observations limit 1`.execute(trx);
  if (rows.length > 0) throw new Error('expected a store of version 1 without observations, got some');
  await trx.schema.dropTable('client_snapshots').execute();
  await createTables(trx, engine, summaryTables);
  await index(trx, 'client', 'client_snapshots', 'client', 'seq').unique().execute();
  await index(trx, 'kept', 'client_snapshots', 'kept_until').execute();
  await index(trx, 'seq', 'client_snapshots', 'seq').execute();
  await index(trx, 'checkpoint', 'client_snapshots', 'client', 'seq')
    .where(sql.ref('is_checkpoint'), '=', sql.lit(1))
    .execute();
  await index(trx, 'seal', 'log_parts', 'first_seq').where(sql.ref('sealed'), '=', sql.lit(0)).execute();
  // Whole minutes are counted in `densities`.
  await trx.schema.dropIndex('observations_by_at').execute();
  await index(trx, 'at', 'observations', 'at').execute();
  await index(trx, 'import', 'observations', 'client', 'seq')
    .where(sql.ref('vantage'), '=', sql.lit(dumpVantage))
    .execute();
}

async function removeSummaries(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  await trx.schema.dropIndex('observations_by_import').execute();
  await trx.schema.dropIndex('observations_by_at').execute();
  await index(trx, 'at', 'observations', 'at', 'kind', 'types').execute();
  await dropTables(trx, summaryTables);
  const { client_snapshots } = firstTables;
  if (client_snapshots !== undefined) await createTables(trx, engine, { client_snapshots });
  await index(trx, 'client', 'client_snapshots', 'client', 'seq').unique().execute();
}
