import { sql } from 'kysely';
import type { StoreDatabase } from '../schema';
import { ClientHeads } from './client-heads';

/** Any number that no other program is likely to use. */
const writerLock = 0x78647364;

/**
 * Calls `work` while no other process writes heads, if none does now. PostgreSQL only. The advisory lock belongs to the connection
 * that `heads` writes with: when the process or the connection ends, nothing more can be written, and PostgreSQL gives the lock to
 * the next one that asks. PgBouncer must pool sessions for that, not transactions.
 */
export async function asOnlyWriter(
  { db, engine }: Pick<StoreDatabase, 'db' | 'engine'>,
  work: (heads: ClientHeads) => Promise<void>,
): Promise<void> {
  await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ is_ours: boolean }>`
      select pg_try_advisory_lock(${sql.lit(writerLock)}) as is_ours`.execute(connection);
    if (rows[0]?.is_ours !== true) return;
    try {
      // A machine that is switched off closes no connection: its lock ends after 15 s.
      await sql`set tcp_keepalives_idle = 5`.execute(connection);
      await sql`set tcp_keepalives_interval = 5`.execute(connection);
      await sql`set tcp_keepalives_count = 2`.execute(connection);
      await work(new ClientHeads({ engine, db: connection }));
    } finally {
      // A connection that is lost has lost the lock as well.
      await Promise.allSettled([sql`select pg_advisory_unlock(${sql.lit(writerLock)})`.execute(connection)]);
    }
  });
}
