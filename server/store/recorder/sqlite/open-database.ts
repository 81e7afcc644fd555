import { spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { putIntoPlace } from '../../../atomic-write';
import { builtProgram } from '../../../project-root';
import { NewerStoreError } from '../../../store-format';
import { damagedFile, describe, otherVersion } from '../damaged-file';
import { errorCodeOf, RecorderError } from '../recorder-error';
import { bytesOf, SqlFile, type SqlText, textOf } from './sql-file';
import { findWalDamage } from './write-ahead-log';

export interface FileFormat {
  /** A noun phrase for messages, as "a recording of xdscope". */
  readonly what: string;
  /** Distinguishes the file from any other SQLite file. */
  readonly applicationId: number;
  readonly version: number;
  /** Creates the tables of a new file. Empty if others do. */
  readonly tables: string;
  /** The tables that must be there, by default those of `tables`. */
  readonly tableNames?: readonly string[];
  /** Tables that are needed at each start, and are checked even in a file that is too large to be checked whole. */
  readonly smallTables: readonly string[];
  /** The statements are executed at each start. */
  readonly pragmas: readonly string[];
  /** A format that whoever opens the file converts. */
  readonly earlier?: FileFormat;
}

interface DatabaseOptions {
  readonly file: string;
  readonly format: FileFormat;
  /** This process had the file open before, so it is opened again after a failure and not created. */
  readonly wasOpen: boolean;
}

/** SQLite's check reads the whole file: 30 ms for this size from memory, half a second from a slow disk. */
const checkedBytes = 32 * 1024 * 1024;
const companions = ['', '-wal', '-shm'];
/** Place of the application id in the header of an SQLite file. */
const applicationIdAt = 68;
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
  else if (!wasOpen) checkInProcess(file, options.format);
  assertReadable(file);
  let sql: SqlFile | undefined;
  try {
    sql = new SqlFile(file);
    prepareTables(sql, file, options.format);
    return load(sql);
  } catch (error) {
    sql?.close();
    throw explain(file, error);
  }
}

/** Reads it from the header, which lacks what is only in the write-ahead log. Returns 0 for a file that is shorter. */
export function readApplicationId(file: string): number {
  assertReadable(file);
  const bytes = Buffer.alloc(4);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes, 0, bytes.length, applicationIdAt);
  } finally {
    closeSync(descriptor);
  }
  return bytes.readUInt32BE(0);
}

/** Finds damage of a database, if it exists, before it is opened. Throws what openDatabase() throws. */
export function assertUndamaged(file: string, format: FileFormat): void {
  assertAtRest(file);
  if (existsSync(file)) checkInProcess(file, isEarlier(file, format) ? (format.earlier ?? format) : format);
  assertReadable(file);
}

/** Returns whether an existing file has the earlier format, whose first version did not begin with its application id. */
export function isEarlier(file: string, { applicationId, earlier }: FileFormat): boolean {
  return earlier !== undefined && readApplicationId(file) !== applicationId;
}

/** Returns damagedFile(), or a RecorderError whose message is one line and names the file. */
export function explain(file: string, error: unknown): unknown {
  if (error instanceof RecorderError && error.code !== 'UNDECODABLE') return error;
  if (error instanceof NewerStoreError) return otherVersion(file, error.message);
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
export function makeDatabase(file: string, applicationId = 0): void {
  const next = `${file}.new`;
  for (const companion of companions) rmSync(`${next}${companion}`, { force: true });
  const sql = new SqlFile(next);
  try {
    // This mode can only be set before the first table is created.
    sql.exec(
      `PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${applicationId}; CREATE TABLE first (n); DROP TABLE first`,
    );
  } finally {
    sql.close();
  }
  putIntoPlace(next, file);
}

/** Finds damage of a database. Throws what openDatabase() throws. The caller ends its process without closing it. */
export function checkDatabase(file: string, format: FileFormat): void {
  try {
    const sql = new SqlFile(file);
    prepareTables(sql, file, format);
    check(sql, file, format);
  } catch (error) {
    throw explain(file, error);
  }
}

function check(sql: SqlFile, file: string, { smallTables }: FileFormat): void {
  const isSmall = statSync(file).size <= checkedBytes;
  const tables = namesOfTables(sql);
  const small = smallTables.filter((table) => tables.has(table));
  const checks = isSmall ? ['1'] : small.map((table) => `'${table}'`);
  for (const each of checks) {
    const row = sql.first<{ found: SqlText }>(`SELECT quick_check AS found FROM pragma_quick_check(${each})`);
    // A name of the damaged schema, which the text may contain, need not be UTF-8.
    const found = row === undefined ? 'no answer' : bytesOf(row.found).toString('utf8');
    if (found !== 'ok') throw damagedFile(file, found);
  }
}

/** The exit code of a check that reports its error on stdout. */
export const damageFoundCode = 3;
/** Signals by which a user ends a start. */
const endSignals: readonly (NodeJS.Signals | null)[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs checkDatabase() in a process of its own, because some damage makes libsql abort its process. */
function checkInProcess(file: string, { what }: FileFormat): void {
  const words = [builtProgram('database-check'), file, what];
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status === 0) return;
  if (status === damageFoundCode) {
    const found: Pick<RecorderError, 'code' | 'message' | 'rawMessage'> = JSON.parse(stdout);
    throw new RecorderError(found.code, found.message, found.rawMessage);
  }
  if (signal !== null && !endSignals.includes(signal)) {
    throw damagedFile(file, `the process that checked it was ended by ${signal}: ${stderr.trim()}`);
  }
  const got = error?.message ?? `${signal ?? `exit code ${status}`}: ${stderr.trim()}`;
  throw new RecorderError(
    'CHECK_FAILED',
    `${file}: expected a process that checks it, got ${got}`,
    got,
    error,
  );
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
  { what, applicationId, version, tables, tableNames }: FileFormat,
): void {
  if (sql.number('SELECT application_id AS n FROM pragma_application_id') !== applicationId) {
    throw damagedFile(file, `expected ${what}, got another SQLite file`);
  }
  const found = sql.number('SELECT user_version AS n FROM pragma_user_version') ?? 0;
  if (found !== version) throw otherVersion(file, `expected schema version ${version}, got ${found}`);
  const names = namesOfTables(sql);
  // A file of load that is being converted has the tables of version 1 until then.
  if (tables === '' && !names.has('store_version')) return;
  const expected = tableNames ?? Array.from(tables.matchAll(/CREATE TABLE (\w+)/g), ([, name = '']) => name);
  for (const name of expected) {
    if (!names.has(name)) throw damagedFile(file, `expected a table ${name}, found none`);
  }
}

function namesOfTables(sql: SqlFile): Set<string> {
  const rows = sql.all<{ name: SqlText }>('SELECT name FROM sqlite_schema');
  return new Set(rows.map(({ name }) => textOf(name)));
}
