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
import { SqlFile } from '@/server/store/recorder/sqlite/sql-file';

const pageBytes = 4096;

export interface Damage {
  readonly what: string;
  /** The way in which the last server ended; after a kill the write-ahead logs exist. */
  readonly after: 'close' | 'kill';
  readonly damage: (dataDir: string) => void;
  /** The error message of the start; absent if only reading detects the damage. */
  readonly line: RegExp | undefined;
}

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

/**
 * Sets the highest bit of a byte in the middle of each place in the file that has `text`, which is ASCII: pages contain remains of
 * what was there before.
 */
const flipText = (text: string) => (file: string) => {
  const bytes = readFileSync(file);
  const middle = text.length >> 1;
  const flipped = Uint8Array.of(text.charCodeAt(middle) | 0x80);
  if (bytes.indexOf(text) < 0) throw new Error(`${file}: expected ${text}, found none`);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    overwrite(at + middle, flipped)(file);
};

const recording = 'recording.sqlite';
const load = 'load.sqlite';
const state = 'state.sqlite';
const zeros = new Uint8Array(pageBytes);
const malformed = 'database disk image is malformed';
const isEmpty = 'expected a database, got an empty file';
const otherVersion = (file: string, what: string) =>
  new RegExp(`${file}: expected ${what}: another xdscope wrote it; use the xdscope that wrote it`);

/** `reason`: what follows "is damaged: " in the error message of the start, or that whole message. */
type Case = readonly [what: string, file: string, change: (file: string) => void, reason?: string | RegExp];

const afterClose: readonly Case[] = [
  ['an empty file', recording, cutTo(0), isEmpty],
  ['a header that is cut', recording, (file) => truncateSync(file, 50), malformed],
  ['half a file', recording, cutTo(0.5), malformed],
  ['another magic number', recording, overwrite(0, noise(16)), 'file is not a database'],
  ['a first page of zeros', recording, overwrite(0, zeros), ''],
  ['random bytes in the schema', recording, overwrite(100, noise(pageBytes - 100)), ''],
  [
    'the application id of another program',
    recording,
    run('PRAGMA application_id = 7'),
    'expected a recording of xdscope, got another SQLite file',
  ],
  [
    'a later version',
    recording,
    run('UPDATE store_version SET version = 99'),
    otherVersion(recording, 'a store of version \\d+ or older, got version 99'),
  ],
  [
    'a later version of load',
    load,
    run('UPDATE store_version SET version = 99'),
    otherVersion(load, 'a store of version \\d+ or older, got version 99'),
  ],
  ['a table that is missing', recording, run('DROP TABLE terms'), 'expected a table terms, found none'],
  ['a page of an index that is all zeros', recording, overwriteRoot('bodies_by_last_seq', zeros), ''],
  ['random bytes in a page of a table', recording, overwriteRoot('bodies', noise(pageBytes)), ''],
  ['damaged observations', recording, flipIn('payloads', 'bytes'), ''],
  ['a damaged checkpoint', recording, flipIn('client_snapshots', 'bytes'), ''],
  ['a flipped bit in the schema', recording, flipText('CREATE TABLE "pins"'), ''],
  ['a flipped bit in the name of a table', recording, flipText('tablepinspins'), ''],
  [
    'a flipped bit in a text of load',
    load,
    (file) => {
      run(`INSERT INTO load_series VALUES (1, 1, 'client', 'cluster', '{"scope":{}}')`)(file);
      flipText('{"scope":{}}')(file);
    },
    'expected a text in UTF-8, got 12 bytes that are none',
  ],
  ['an empty file of load', load, cutTo(0), isEmpty],
  ['half a file of load', load, cutTo(0.5), malformed],
  ['random bytes at the start of the file of load', load, overwrite(0, noise(100)), 'file is not a database'],
  ['an empty file of state', state, cutTo(0), isEmpty],
  ['half a file of state', state, cutTo(0.5), malformed],
  [
    'random bytes at the start of the file of state',
    state,
    overwrite(0, noise(100)),
    'file is not a database',
  ],
  ['damaged bodies', recording, flipIn('bodies', 'bytes')],
];

const remove = (file: string) => rmSync(file);
const wal = 'its write-ahead log .*';
const afterKill: readonly Case[] = [
  ['a write-ahead log that is missing', `${recording}-wal`, remove, `${wal} is missing`],
  ['half a write-ahead log', `${recording}-wal`, cutTo(0.5), `${wal}: expected \\d+ frames, got \\d+ before`],
  [
    'random bytes in the write-ahead log',
    `${recording}-wal`,
    overwrite(3 * pageBytes, noise(500)),
    `${wal}: expected \\d+ frames, got 2 before`,
  ],
  [
    'another header of the write-ahead log',
    `${recording}-wal`,
    overwrite(0, noise(32)),
    `${wal}: expected a header of SQLite, got something else`,
  ],
  [
    'a recording that is missing beside its write-ahead log',
    recording,
    remove,
    `it is missing, and ${wal} is there`,
  ],
  ['a write-ahead log of state that is missing', `${state}-wal`, remove, `${wal} is missing`],
  ['a write-ahead log of load that is missing', `${load}-wal`, remove, `${wal} is missing`],
];

const damagesAfter = (after: Damage['after'], cases: readonly Case[]): Damage[] =>
  cases.map(([what, file, change, reason]) => ({
    ...{ what, after, damage: (dataDir) => change(path.join(dataDir, file)) },
    line:
      typeof reason === 'string' ? new RegExp(`${file.replace(/-wal$/, '')} is damaged: ${reason}`) : reason,
  }));

export const damages = [...damagesAfter('close', afterClose), ...damagesAfter('kill', afterKill)];

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
