import Database from 'libsql';
import { deflateBytes, inflateBytes } from '../deflate';

export type SqlValue = string | number | null | Uint8Array;

/**
 * One SQLite file through libsql, with prepared statements by their text. It hides two peculiarities of libsql: get()
 * and all() return blobs as different classes, and a full disk causes a rollback, after which ROLLBACK would throw and
 * hide the cause.
 */
export class SqlFile {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  #isWithin = false;
  /** Called after each transaction that was rolled back. */
  onRollback: () => void = () => undefined;

  constructor(file: string) {
    this.#database = new Database(file);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  run(sql: string, values: readonly SqlValue[] = []): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.#prepare(sql).run([...values]);
    return { changes, lastInsertRowid: Number(lastInsertRowid) };
  }

  /** Reads all rows, because an unfinished statement retains its snapshot and the write-ahead log cannot shrink. */
  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#prepare(sql).all([...values]) as Row[];
  }

  first<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.all<Row>(sql, values)[0];
  }

  /** Returns the column `n` of the first row, or null if it is NULL or there is no row. */
  number(sql: string, values: readonly SqlValue[] = []): number | null {
    return this.first<{ n: number | null }>(sql, values)?.n ?? null;
  }

  /** Commits the writes of `work`, or rolls them back when it throws. Of nested ones, the outer one commits. */
  transaction<T>(work: () => T): T {
    return this.#isWithin ? work() : this.#within('BEGIN IMMEDIATE', work);
  }

  /** All reads of `work` are as of one moment. */
  snapshot<T>(work: () => T): T {
    return this.#within('BEGIN DEFERRED', work);
  }

  #within<T>(begin: string, work: () => T): T {
    this.exec(begin);
    this.#isWithin = true;
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.exec('ROLLBACK');
      this.onRollback();
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  /** The sizes are in bytes; `usedBytes` does not count free pages. */
  size(): { readonly fileBytes: number; readonly usedBytes: number } {
    const [size] = this.all<ReturnType<SqlFile['size']>>(
      `SELECT page_count * page_size AS fileBytes, (page_count - freelist_count) * page_size AS usedBytes
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    );
    return size ?? { fileBytes: 0, usedBytes: 0 };
  }

  /** Returns some free pages to the file system. Returns the number of those that are left. */
  shrink(pages: number): number {
    this.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`);
    return this.number('SELECT freelist_count AS n FROM pragma_freelist_count') ?? 0;
  }

  /** Closes without writing. */
  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** Copies the write-ahead log into the file before closing, so that a closed database is one file. */
  closeWhole(): void {
    this.all('PRAGMA wal_checkpoint(TRUNCATE)');
    this.close();
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export function bytesOf(blob: ArrayBuffer): Buffer {
  return Buffer.from(blob);
}

export type SqlText = string | ArrayBuffer;

/** Short JSON is stored as text, which any SQLite tool can show, and long JSON as deflated UTF-8. */
export function packJson(json: string): string | Uint8Array {
  return json.length < 1024 ? json : deflateBytes(json);
}

export function unpackJson(column: SqlText): string {
  return typeof column === 'string' ? column : inflateBytes(bytesOf(column)).toString('utf8');
}
