import { sql } from 'kysely';
import type { StoreDatabase, StoreTransaction } from './schema';

/** The channel of PostgreSQL on which processes learn of changes. */
export const noticeChannel = 'xdscope';

/**
 * What has changed: the log, a value of the state, the heads of clients, the questions to the process that folds the fleet or their
 * answers, or the fleet. `proof` is a notice of a process to itself.
 */
type NoticeTopic = 'log' | 'state' | 'heads' | 'ask' | 'answer' | 'fleet' | 'proof';

export interface Notice {
  readonly topic: string;
  readonly position: string;
}

export function parseNotice(text: string): Notice {
  const end = text.indexOf(' ');
  return { topic: text.slice(0, end), position: text.slice(end + 1) };
}

/**
 * Announces a change to all processes that listen, once the transaction is committed: PostgreSQL sends it then. A notice has a topic
 * and a position: "log 17" and "heads 17" state the newest seq, "state " that some value has another version, "fleet [...]" the notices of pages as JSON. SQLite has no other process to announce it to.
 */
export async function notify(
  trx: StoreTransaction,
  { engine }: Pick<StoreDatabase, 'engine'>,
  topic: NoticeTopic,
  position: number | string = '',
): Promise<void> {
  if (engine !== 'postgres') return;
  await sql`select pg_notify(${noticeChannel}, ${`${topic} ${position}`})`.execute(trx);
}
