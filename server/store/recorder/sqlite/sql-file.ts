import Database from 'libsql';
import { undecodable } from '../damaged-file';

export type SqlValue = string | number | null | Uint8Array;

/**
 * One SQLite file through libsql, with prepared statements by their text. It hides three peculiarities of libsql: get()
 * and all() return blobs as different classes, a full disk causes a rollback, after which ROLLBACK would throw and
 * hide the cause, and a text that is not UTF-8 aborts the process.
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

  /**
   * Reads all rows, because an unfinished statement retains its snapshot and the write-ahead log cannot shrink. A text
   * is returned as a blob (see textOf), whatever the type of its column: SQLite stores the type with each value, so
   * that one changed bit can make a blob a text.
   */
  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#prepare(sql).all([...values]) as Row[];
  }

  first<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.all<Row>(sql, values)[0];
  }

  /** Returns the column `n` of the first row, or null if it is NULL or there is no row. */
  number(sql: string, values: readonly SqlValue[] = []): number | null {
    const n = this.first<{ n: unknown }>(sql, values)?.n ?? null;
    if (n !== null && typeof n !== 'number') throw undecodable(`expected a number, got ${kindOf(n)}`);
    return n;
  }

  /** Commits the writes of `work`, or rolls them back when it throws. The outermost one of nested transactions commits. */
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
      // A pragma cannot be part of another statement. Those in use return numbers and words of SQLite.
      if (/^\s*SELECT\b/i.test(sql)) statement = this.#database.prepare(withTextAsBlob(statement, sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function withTextAsBlob(statement: Database.Statement, sql: string): string {
  const columns = statement
    .columns()
    .map(
      ({ name }) =>
        `CASE typeof("${name}") WHEN 'text' THEN CAST("${name}" AS BLOB) ELSE "${name}" END AS "${name}"`,
    );
  return `SELECT ${columns.join(', ')} FROM (${sql})`;
}

/** Throws undecodable() if the value is no blob. */
export function bytesOf(blob: ArrayBuffer): Buffer {
  if (!(blob instanceof ArrayBuffer)) throw undecodable(`expected bytes, got ${kindOf(blob)}`);
  return Buffer.from(blob);
}

/** A text as SqlFile returns it. */
export type SqlText = ArrayBuffer;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws undecodable() if the value is no text in UTF-8. */
export function textOf(text: SqlText): string {
  const bytes = bytesOf(text);
  try {
    return utf8.decode(bytes);
  } catch {
    throw undecodable(`expected a text in UTF-8, got ${bytes.length} bytes that are none`);
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return value instanceof ArrayBuffer ? `${value.byteLength} bytes` : `a ${typeof value}`;
}
