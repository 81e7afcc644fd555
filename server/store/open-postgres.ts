import { Kysely, PostgresDialect, sql } from 'kysely';
import { migrate } from './migrations';
import { noticeChannel } from './notify';
import type { StoreDatabase, StoreTables } from './schema';

interface PostgresOptions {
  /** Such as postgres://user:password@host:5432/database. */
  readonly url: string;
  /** Connections of this process. */
  readonly maxConnections?: number;
  /** Called when a connection fails while no query runs on it. The next query connects again. */
  readonly onConnectionLost?: (error: Error) => void;
}

/** Numbers of PostgreSQL's types. Every number that is stored is a safe integer. */
const int8 = 20;
const numeric = 1700;

/** Size of an observation beside its payload, with indexes and terms (measured). */
const bytesPerObservation = 200;

export interface PostgresStore extends StoreDatabase {
  /** What `work` reads is all as of one moment. */
  asOfNow<T>(work: (then: StoreDatabase) => Promise<T>): Promise<T>;
}

/** Connects to a database, and leads it to the newest version. */
export async function openPostgres({
  url,
  maxConnections = 8,
  onConnectionLost = () => undefined,
}: PostgresOptions): Promise<PostgresStore> {
  const { default: pg } = await import('pg');
  const connection = {
    ...{ connectionString: url, connectionTimeoutMillis: 10_000, application_name: 'xdscope' },
  };
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    types: {
      getTypeParser: ((type: number, format: 'text' | 'binary') =>
        type === int8 || type === numeric ? Number : pg.types.getTypeParser(type, format as 'text')) as never,
    },
  });
  pool.on('error', onConnectionLost);
  // The pool handles no errors of connections that are in use: between two queries of a transaction, nobody else does.
  pool.on('connect', (client) => client.on('error', onConnectionLost));
  const db = new Kysely<StoreTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate({ db, engine: 'postgres' });
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const store: PostgresStore = {
    engine: 'postgres',
    db,
    asOfNow: (work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((then) => work({ ...store, db: then })),
    async size() {
      // The lengths of values are read without the values.
      const { rows } = await sql<{ bytes: number; used: number }>`
        select pg_database_size(current_database()) as bytes,
          (select coalesce(sum(octet_length(bytes)), 0) from bodies)
            + (select coalesce(sum(octet_length(bytes) + count * ${bytesPerObservation}), 0) from payloads)
            + (select coalesce(sum(octet_length(bytes)), 0) from client_snapshots) as used`.execute(db);
      return rows[0] ?? { bytes: 0, used: 0 };
    },
    // Its autovacuum does that.
    shrink: async () => false,
    async listen(onNotice, onEnd) {
      const client = new pg.Client({ ...connection, keepAlive: true });
      client.on('error', onEnd);
      client.on('end', onEnd);
      client.on('notification', ({ payload = '' }) => onNotice(payload));
      try {
        await client.connect();
        await client.query(`listen ${noticeChannel}`);
      } catch (error) {
        await client.end();
        throw error;
      }
      return { close: () => client.end() };
    },
    close: () => db.destroy(),
  };
  return store;
}
