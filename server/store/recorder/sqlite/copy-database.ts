import { explain } from './open-database';
import { SqlFile } from './sql-file';

/**
 * Copies a database as of one moment, while other processes may read and write it, to a file that must not exist. The copy has
 * no free pages and no write-ahead log. Throws what openDatabase() throws.
 */
export function copyDatabase(from: string, to: string): void {
  let sql: SqlFile | undefined;
  try {
    sql = new SqlFile(from);
    sql.run('VACUUM INTO ?', [to]);
  } catch (error) {
    throw explain(from, error);
  } finally {
    sql?.close();
  }
}
