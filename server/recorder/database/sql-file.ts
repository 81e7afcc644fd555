import Database from 'libsql';

export type SqlValue = string | number | null | Uint8Array;

/**
 * One SQLite file through libsql, with prepared statements kept by their text.
 * libsql's ways that this hides: get() and all() give blobs as different classes; a full disk rolls back by itself,
 * so that a second ROLLBACK would throw and hide the cause.
 */
export class SqlFile {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(file: string) {
    this.#database = new Database(file);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Returns how many rows it changed. */
  run(sql: string, values: readonly SqlValue[] = []): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.#prepare(sql).run([...values]);
    return { changes, lastInsertRowid: Number(lastInsertRowid) };
  }

  /** All rows: a statement that is not read to its end would hold its snapshot and keep the WAL from shrinking. */
  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#prepare(sql).all([...values]) as Row[];
  }

  first<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.all<Row>(sql, values)[0];
  }

  /** One number, as in "SELECT count(*) AS n"; null where SQL says NULL. */
  number(sql: string, values: readonly SqlValue[] = []): number | null {
    return this.first<{ n: number | null }>(sql, values)?.n ?? null;
  }

  /** All or nothing. */
  transaction<T>(work: () => T): T {
    return this.#within('BEGIN IMMEDIATE', work);
  }

  /** Reads only, and all of the same moment. */
  snapshot<T>(work: () => T): T {
    return this.#within('BEGIN DEFERRED', work);
  }

  #within<T>(begin: string, work: () => T): T {
    this.exec(begin);
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
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

/** A blob column as libsql's all() gives it, or text. */
export type SqlText = string | ArrayBuffer;

export function bytesOf(column: ArrayBuffer | Uint8Array): Buffer {
  return column instanceof ArrayBuffer
    ? Buffer.from(column)
    : Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}
