import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs';
import { putIntoPlace } from '../../whole-file';
import { damagedFile, describe, otherVersion } from '../damaged-file';
import { errorCodeOf, RecorderError } from '../recorder-error';
import { SqlFile } from './sql-file';
import { findWalDamage } from './write-ahead-log';

export interface FileFormat {
  /** A noun phrase for messages, as "a recording of xdscope". */
  readonly what: string;
  /** Distinguishes the file from any other SQLite file. */
  readonly applicationId: number;
  readonly version: number;
  readonly tables: string;
  /** Tables that are needed at each start, and are checked even in a file that is too large to be checked whole. */
  readonly smallTables: readonly string[];
  /** The statements are executed at each start. */
  readonly pragmas: readonly string[];
}

export interface DatabaseOptions {
  readonly file: string;
  readonly format: FileFormat;
  /** This process had the file open before, so it is opened again after a failure and not created. */
  readonly wasOpen: boolean;
}

/** SQLite's check reads the whole file: 30 ms for this size from memory, half a second from a slow disk. */
const checkedBytes = 32 * 1024 * 1024;
const companions = ['', '-wal', '-shm'];
/** These failures are not caused by the content of the file. */
const notOfContent = /^SQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PERM|READONLY)/;

/**
 * Opens a database, or creates it under a temporary name first, so that a file of the final name is complete. Throws
 * damagedFile(), or a RecorderError whose message is one line and names the file.
 */
export function openDatabase<T>(options: DatabaseOptions, load: (sql: SqlFile) => T): T {
  const { file, wasOpen } = options;
  if (wasOpen && !existsSync(file)) {
    throw new RecorderError('FILE_MISSING', `${file}: expected the file that xdscope opened, found none`);
  }
  if (!wasOpen) assertAtRest(file);
  if (!existsSync(file)) makeDatabase(file);
  assertReadable(file);
  let sql: SqlFile | undefined;
  try {
    sql = new SqlFile(file);
    prepareTables(sql, file, options.format);
    if (!wasOpen) check(sql, options);
    return load(sql);
  } catch (error) {
    sql?.close();
    throw explain(file, error);
  }
}

function explain(file: string, error: unknown): unknown {
  if (error instanceof RecorderError && error.code !== 'UNDECODABLE') return error;
  const code = errorCodeOf(error);
  if (!notOfContent.test(code)) return damagedFile(file, describe(error), error);
  const message = `${file}: expected a database that can be read and written, got: ${describe(error)}`;
  return new RecorderError(code, message, describe(error), error);
}

/** Finds damage that SQLite would repair by silently dropping data. */
function assertAtRest(file: string): void {
  for (const companion of companions) assertReadable(`${file}${companion}`);
  const isThere = existsSync(file);
  const walBytes = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0;
  if (!isThere && walBytes > 0) {
    throw damagedFile(file, `it is missing, and its write-ahead log ${file}-wal is there`);
  }
  if (!isThere) {
    for (const companion of companions) rmSync(`${file}${companion}`, { force: true });
    return;
  }
  if (statSync(file).size === 0) throw damagedFile(file, 'expected a database, got an empty file');
  const damage = findWalDamage(file);
  if (damage !== undefined) throw damagedFile(file, damage);
}

function assertReadable(file: string): void {
  if (!existsSync(file)) return;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    const message = `${file}: expected a file that can be read and written, got: ${describe(error)}`;
    throw new RecorderError('FILE_UNUSABLE', message, describe(error), error);
  }
}

/** The new file has no tables, but is not empty, because an empty file counts as damaged. */
function makeDatabase(file: string): void {
  const next = `${file}.new`;
  for (const companion of companions) rmSync(`${next}${companion}`, { force: true });
  const sql = new SqlFile(next);
  try {
    // This mode can only be set before the first table is created.
    sql.exec('PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE first (n); DROP TABLE first');
  } finally {
    sql.close();
  }
  putIntoPlace(next, file);
}

function check(sql: SqlFile, { file, format: { smallTables } }: DatabaseOptions): void {
  const isSmall = statSync(file).size <= checkedBytes;
  const checks = isSmall ? ['quick_check(1)'] : smallTables.map((table) => `quick_check(${table})`);
  for (const each of checks) {
    const [first] = sql.all<{ quick_check: string }>(`PRAGMA ${each}`);
    if (first?.quick_check !== 'ok') throw damagedFile(file, first?.quick_check ?? 'no answer');
  }
}

/** Creates the tables of an empty file. Throws damagedFile() or otherVersion() for another format, unchanged. */
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
