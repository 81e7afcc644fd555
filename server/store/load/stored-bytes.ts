import { type RawBuilder, sql } from 'kysely';
import type { StoreEngine } from '../schema';

/** A bit that changed on the disk can make a value of SQLite a text, which libsql aborts at unless it is UTF-8. */
export function storedBytes(engine: StoreEngine, column: string): RawBuilder<Buffer> {
  return sql<Buffer>`cast(${sql.ref(column)} as ${sql.raw(engine === 'sqlite' ? 'blob' : 'bytea')})`;
}
