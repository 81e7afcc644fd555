import { existsSync } from 'node:fs';
import { convertLoad } from '../../store/load/convert-load';
import { openSqlite } from '../../store/open-sqlite';
import { OpenFiles } from '../../store/recorder/open-files';
import { loadFormat } from '../../store/recorder/sqlite/load-schema';
import { assertUndamaged, explain, isEarlier, makeDatabase } from '../../store/recorder/sqlite/open-database';
import { SqlFile } from '../../store/recorder/sqlite/sql-file';
import type { StoreDatabase } from '../../store/schema';

export interface OpenedLoad {
  readonly database: StoreDatabase;
  /** Called before each write. Throws if what is written would be lost. */
  assertInPlace(): void;
}

/**
 * Opens or creates a file of load, and converts one of version 1. It is a file of its own, because SQLite has one writer for
 * each file. Throws what openDatabase() throws.
 */
export async function openLoadFile(file: string): Promise<OpenedLoad> {
  assertUndamaged(file, loadFormat);
  try {
    if (!existsSync(file)) makeDatabase(file, loadFormat.applicationId);
    if (isEarlier(file, loadFormat)) markAsStore(file);
    const database = await openSqlite({ file });
    try {
      await convertLoad(database);
    } catch (error) {
      await database.close();
      throw error;
    }
    const files = new OpenFiles([file, `${file}-wal`, `${file}-shm`]);
    return { database, assertInPlace: () => files.assertInPlace() };
  } catch (error) {
    throw explain(file, error);
  }
}

/** Makes a file of version 1 a store that still has its tables. A start that ends here is continued by the next one. */
function markAsStore(file: string): void {
  const sql = new SqlFile(file);
  try {
    // The header of the file, which isEarlier() reads, changes at once if there is no write-ahead log.
    sql.all('PRAGMA journal_mode = DELETE');
    sql.transaction(() => {
      sql.exec(`PRAGMA user_version = ${loadFormat.version}`);
      sql.exec(`PRAGMA application_id = ${loadFormat.applicationId}`);
    });
  } finally {
    sql.close();
  }
}
