import { Kysely, PostgresDialect, sql } from 'kysely';
import { migrate } from './migrations';
import type { StoreDatabase, StoreTables } from './schema';

interface PostgresOptions {
  /** Such as postgres://user:password@host:5432/database. */
  readonly url: string;
  /** Connections of this process. */
  readonly maxConnections?: number;
  /** Called when an idle connection fails. The next query connects again. */
  readonly onConnectionLost?: (error: Error) => void;
}

/** Numbers of PostgreSQL's types. Every number that is stored is a safe integer. */
const int8 = 20;
const numeric = 1700;

/** Connects to a database, and leads it to the newest version. */
export async function openPostgres({
  url,
  maxConnections = 8,
  onConnectionLost = () => undefined,
}: PostgresOptions): Promise<StoreDatabase> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    application_name: 'xdscope',
    types: {
      getTypeParser: ((type: number, format: 'text' | 'binary') =>
        type === int8 || type === numeric ? Number : pg.types.getTypeParser(type, format as 'text')) as never,
    },
  });
  pool.on('error', onConnectionLost);
  const db = new Kysely<StoreTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate({ db, engine: 'postgres' });
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    engine: 'postgres',
    db,
    async size() {
      const { rows } = await sql<{ bytes: number }>`
        select pg_database_size(current_database()) as bytes`.execute(db);
      return { bytes: rows[0]?.bytes ?? 0, used: null };
    },
    // Its autovacuum does that.
    shrink: async () => false,
    close: () => db.destroy(),
  };
}
