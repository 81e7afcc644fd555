import { damagedFile, otherVersion } from '../damaged-file';
import type { SqlFile } from './sql-file';

export interface FileFormat {
  /** As in "a recording of xdscope". */
  readonly what: string;
  /** Distinguishes the file from any other SQLite file. */
  readonly applicationId: number;
  readonly version: number;
  /** CREATE statements. */
  readonly tables: string;
  /** Tables that are needed at each start, and are checked even in a file that is too large to be checked whole. */
  readonly smallTables: readonly string[];
  /** Set at each start. */
  readonly pragmas: readonly string[];
}

/**
 * Creates the tables of a file that has none. Throws damagedFile() or otherVersion() for a file of another format, and
 * does not change it.
 */
export function prepareTables(sql: SqlFile, file: string, format: FileFormat): void {
  const isEmpty = sql.number('SELECT count(*) AS n FROM sqlite_schema') === 0;
  if (!isEmpty) assertFormat(sql, file, format);
  for (const pragma of format.pragmas) sql.all(`PRAGMA ${pragma}`);
  if (!isEmpty) return;
  sql.transaction(() => {
    sql.exec(format.tables);
    sql.exec(`PRAGMA application_id = ${format.applicationId}`);
    sql.exec(`PRAGMA user_version = ${format.version}`);
  });
}

function assertFormat(
  sql: SqlFile,
  file: string,
  { what, applicationId, version, tables }: FileFormat,
): void {
  if (sql.number('SELECT application_id AS n FROM pragma_application_id') !== applicationId) {
    throw damagedFile(file, `expected ${what}, got another SQLite file`);
  }
  const found = sql.number('SELECT user_version AS n FROM pragma_user_version') ?? 0;
  if (found !== version) throw otherVersion(file, version, found);
  const names = new Set(sql.all<{ name: string }>('SELECT name FROM sqlite_schema').map(({ name }) => name));
  for (const [, name = ''] of tables.matchAll(/CREATE TABLE (\w+)/g)) {
    if (!names.has(name)) throw damagedFile(file, `expected a table ${name}, found none`);
  }
}
