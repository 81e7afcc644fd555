import { sql } from 'kysely';
import type { StoreDatabase, StoreTransaction } from './schema';

/** The channel of PostgreSQL on which processes learn of changes. */
export const noticeChannel = 'xdscope';

/**
 * Announces a change to all processes that listen, once the transaction is committed: PostgreSQL sends it then. A notice has a topic
 * and a position: "log 17" states the newest seq, "state " that some value has another version. SQLite has no other process to announce it to.
 */
export async function notify(
  trx: StoreTransaction,
  { engine }: Pick<StoreDatabase, 'engine'>,
  topic: 'log' | 'state' | 'proof',
  position: number | string = '',
): Promise<void> {
  if (engine !== 'postgres') return;
  await sql`select pg_notify(${noticeChannel}, ${`${topic} ${position}`})`.execute(trx);
}
