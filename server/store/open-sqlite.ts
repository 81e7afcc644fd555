import { existsSync } from 'node:fs';
import { Kysely, SqliteDialect, sql } from 'kysely';
import Database from 'libsql';
import { LRUCache } from 'lru-cache';
import { storeFormat } from '../store-format';
import { migrate } from './migrations';
import type { StoreDatabase, StoreTables } from './schema';

const { applicationId } = storeFormat;

const pragmas = [
  'journal_mode = WAL',
  // FULL: acknowledged observations survive a power cut (decision 0001).
  'synchronous = FULL',
  // A page that changes often, such as one of an index, is copied into the file only once in this many pages (32 MB).
  'wal_autocheckpoint = 8000',
  'journal_size_limit = 33554432',
  // 16 MB: the aims of `npm run bench -- store` hold with it, and 64 MB add 28 MB to the peak of `npm run bench -- sotw`.
  'cache_size = -16384',
];
const maxStatements = 200;
const pagesAtOnce = 500;

interface SqliteOptions {
  readonly file: string;
  /** Reads as of each statement, beside the process or thread that writes. The file must exist. */
  readonly isReadOnly?: boolean;
}

export interface SqliteStore extends StoreDatabase {
  /** All reads of `work` are as of one moment. It must end before the next one begins. */
  asOfNow<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens or creates a store in a file, and leads it to the newest version. */
export async function openSqlite({ file, isReadOnly = false }: SqliteOptions): Promise<SqliteStore> {
  const isNew = !existsSync(file);
  if (isReadOnly && isNew) throw new Error(`${file}: expected a store, found none`);
  const database = new Database(file);
  try {
    // This mode can only be set before the first table is created.
    if (isNew) database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${applicationId}`);
    const found = database.prepare('PRAGMA application_id').all() as { application_id?: number }[];
    if (found[0]?.application_id !== applicationId) {
      throw new Error(`${file}: expected a store of xdscope, got another SQLite file`);
    }
    for (const pragma of isReadOnly ? ['query_only = ON'] : pragmas)
      database.prepare(`PRAGMA ${pragma}`).all();
    const db = new Kysely<StoreTables>({ dialect: new SqliteDialect({ database: adapt(database) }) });
    if (!isReadOnly) await migrate({ db, engine: 'sqlite' });
    return {
      engine: 'sqlite',
      db,
      async size() {
        const { rows } = await sql<{ bytes: number; used: number }>`
          select page_count * page_size as bytes, (page_count - freelist_count) * page_size as used
            from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(db);
        return rows[0] ?? { bytes: 0, used: 0 };
      },
      async shrink() {
        const freePages = async () => {
          const { rows } = await sql<{
            n: number;
          }>`select freelist_count as n from pragma_freelist_count`.execute(db);
          return rows[0]?.n ?? 0;
        };
        const before = await freePages();
        // Prepared, this statement would not run to its end.
        await db.connection().execute(async () => {
          database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
        });
        const left = await freePages();
        return left > 0 && left < before;
      },
      async asOfNow(work) {
        await sql`begin`.execute(db);
        try {
          return await work();
        } finally {
          await sql`rollback`.execute(db);
        }
      },
      async close() {
        if (!isReadOnly) await sql`pragma wal_checkpoint(truncate)`.execute(db);
        await db.destroy();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Adapts libsql to Kysely: statements are prepared once, blobs are Buffers, and a rollback after SQLite itself rolled
 * back (as on a full disk) does not fail, because its error would hide the cause.
 */
function adapt(database: Database.Database) {
  const statements = new LRUCache<string, Database.Statement>({ max: maxStatements });
  return {
    close: () => database.close(),
    prepare(text: string) {
      if (text === 'rollback' && !database.inTransaction) {
        return {
          reader: true,
          all: () => [],
          run: () => ({ changes: 0, lastInsertRowid: 0 }),
          iterate: noRows,
        };
      }
      const statement = statements.get(text) ?? database.prepare(text);
      statements.set(text, statement);
      return {
        reader: statement.reader,
        all: (values: readonly unknown[]) => statement.all([...values]).map(withBuffers),
        run: (values: readonly unknown[]) => statement.run([...values]),
        iterate: noRows,
      };
    },
  };
}

/** Streams are not used: an unfinished statement retains its snapshot, and the write-ahead log cannot shrink. */
function noRows(): IterableIterator<never> {
  throw new Error('expected a statement that reads all rows, got a stream');
}

function withBuffers(row: unknown): unknown {
  const values = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof ArrayBuffer) values[name] = Buffer.from(value);
  }
  return values;
}
