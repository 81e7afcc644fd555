import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { SqlFile } from '@/server/recorder/sqlite/sql-file';

const pageBytes = 4096;

export interface Damage {
  readonly what: string;
  /** How the last server ended; after a kill the write-ahead logs exist. */
  readonly after: 'close' | 'kill';
  readonly damage: (dataDir: string) => void;
  /** The error message of the start; absent if only reading detects the damage. */
  readonly line?: RegExp;
}

const on =
  (name: string, change: (file: string) => void) =>
  (dataDir: string): void =>
    change(path.join(dataDir, name));

const overwrite = (at: number, bytes: Uint8Array) => (file: string) => {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
};
const cutTo = (part: number) => (file: string) => truncateSync(file, Math.floor(statSync(file).size * part));
const noise = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 167 + 13) & 0xff);

const run = (sql: string) => (file: string) => {
  const database = new SqlFile(file);
  database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
};

/** Overwrites the first page of a table or an index. */
const overwriteRoot = (name: string, bytes: Uint8Array) => (file: string) => {
  const database = new SqlFile(file);
  const root = database.number('SELECT rootpage AS n FROM sqlite_schema WHERE name = ?', [name]);
  database.close();
  overwrite(((root ?? 1) - 1) * pageBytes, bytes)(file);
};

/** Changes a byte in the middle of each value of a column. */
const flipIn = (table: string, column: string) => (file: string) => {
  const database = new SqlFile(file);
  for (const { id, bytes } of database.all<{ id: number; bytes: ArrayBuffer }>(
    `SELECT rowid AS id, CAST(${column} AS BLOB) AS bytes FROM ${table}`,
  )) {
    const changed = new Uint8Array(bytes);
    const middle = changed.length >> 1;
    changed[middle] = (changed[middle] ?? 0) ^ 0xff;
    database.run(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, [changed, id]);
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
};

const recording = 'recording.sqlite';
const load = 'load.sqlite';
const isDamaged = (file: string, reason: string) => new RegExp(`${file} is damaged: ${reason}`);

export const damages: readonly Damage[] = [
  {
    what: 'an empty file',
    after: 'close',
    damage: on(recording, cutTo(0)),
    line: isDamaged(recording, 'expected a database, got an empty file'),
  },
  {
    what: 'a header that is cut',
    after: 'close',
    damage: on(recording, (file) => truncateSync(file, 50)),
    line: isDamaged(recording, 'database disk image is malformed'),
  },
  {
    what: 'half a file',
    after: 'close',
    damage: on(recording, cutTo(0.5)),
    line: isDamaged(recording, 'database disk image is malformed'),
  },
  {
    what: 'another magic number',
    after: 'close',
    damage: on(recording, overwrite(0, noise(16))),
    line: isDamaged(recording, 'file is not a database'),
  },
  {
    what: 'a first page of zeros',
    after: 'close',
    damage: on(recording, overwrite(0, new Uint8Array(pageBytes))),
    line: isDamaged(recording, ''),
  },
  {
    what: 'random bytes in the schema',
    after: 'close',
    damage: on(recording, overwrite(100, noise(pageBytes - 100))),
    line: isDamaged(recording, ''),
  },
  {
    what: 'the application id of somebody else',
    after: 'close',
    damage: on(recording, run('PRAGMA application_id = 7')),
    line: isDamaged(recording, 'expected a recording of xdscope, got another SQLite file'),
  },
  {
    what: 'another schema version',
    after: 'close',
    damage: on(recording, run('PRAGMA user_version = 5')),
    line: /recording\.sqlite: expected schema version 1, got 5: another xdscope wrote it; use the xdscope that wrote it/,
  },
  {
    what: 'another schema version of load',
    after: 'close',
    damage: on(load, run('PRAGMA user_version = 2')),
    line: /load\.sqlite: expected schema version 1, got 2: another xdscope wrote it; use the xdscope that wrote it/,
  },
  {
    what: 'a table that is missing',
    after: 'close',
    damage: on(recording, run('DROP TABLE blocks')),
    line: isDamaged(recording, 'expected a table blocks, found none'),
  },
  {
    what: 'a page of an index that is all zeros',
    after: 'close',
    damage: on(recording, overwriteRoot('bodies_by_last_seq', new Uint8Array(pageBytes))),
    line: isDamaged(recording, ''),
  },
  {
    what: 'random bytes in a page of a table',
    after: 'close',
    damage: on(recording, overwriteRoot('body_packs', noise(pageBytes))),
    line: isDamaged(recording, ''),
  },
  {
    what: 'damaged observations',
    after: 'close',
    damage: on(recording, flipIn('waiting', 'bytes')),
    line: isDamaged(recording, ''),
  },
  {
    what: 'a damaged checkpoint',
    after: 'close',
    damage: on(recording, flipIn('checkpoint_chunks', 'json')),
    line: isDamaged(recording, ''),
  },
  {
    what: 'an empty file of load',
    after: 'close',
    damage: on(load, cutTo(0)),
    line: isDamaged(load, 'expected a database, got an empty file'),
  },
  {
    what: 'half a file of load',
    after: 'close',
    damage: on(load, cutTo(0.5)),
    line: isDamaged(load, 'database disk image is malformed'),
  },
  {
    what: 'random bytes at the start of the file of load',
    after: 'close',
    damage: on(load, overwrite(0, noise(100))),
    line: isDamaged(load, 'file is not a database'),
  },
  {
    what: 'a write-ahead log that is missing',
    after: 'kill',
    damage: on(recording, (file) => rmSync(`${file}-wal`)),
    line: isDamaged(recording, 'its write-ahead log .* is missing'),
  },
  {
    what: 'half a write-ahead log',
    after: 'kill',
    damage: on(`${recording}-wal`, cutTo(0.5)),
    line: isDamaged(recording, 'its write-ahead log .*: expected \\d+ frames, got \\d+ before'),
  },
  {
    what: 'random bytes in the write-ahead log',
    after: 'kill',
    damage: on(`${recording}-wal`, overwrite(3 * pageBytes, noise(500))),
    line: isDamaged(recording, 'its write-ahead log .*: expected \\d+ frames, got 2 before'),
  },
  {
    what: 'another header of the write-ahead log',
    after: 'kill',
    damage: on(`${recording}-wal`, overwrite(0, noise(32))),
    line: isDamaged(recording, 'its write-ahead log .*: expected a header of SQLite, got something else'),
  },
  {
    what: 'a recording that is missing beside its write-ahead log',
    after: 'kill',
    damage: on(recording, (file) => rmSync(file)),
    line: isDamaged(recording, 'it is missing, and its write-ahead log .* is there'),
  },
  {
    what: 'a write-ahead log of load that is missing',
    after: 'kill',
    damage: on(load, (file) => rmSync(`${file}-wal`)),
    line: isDamaged(load, 'its write-ahead log .* is missing'),
  },
  { what: 'damaged bodies', after: 'close', damage: on(recording, flipIn('body_packs', 'bytes')) },
];

/** The content of files by name, for copies of a data dir. */
export function readFolder(dir: string, names: readonly string[]): ReadonlyMap<string, Buffer> {
  return new Map(
    names
      .filter((name) => existsSync(path.join(dir, name)))
      .map((name) => [name, readFileSync(path.join(dir, name))]),
  );
}

export function writeFolder(dir: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, bytes] of files) writeFileSync(path.join(dir, name), bytes, { mode: 0o600 });
}
