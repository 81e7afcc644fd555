import { describe, expect, it } from 'vitest';
import { serveLoad } from '@/server/load/serve-load';
import { SqlFile, textOf } from '@/server/recorder/sqlite/sql-file';
import { openSqliteLog } from '@/server/recorder/sqlite/sqlite-log';
import { bodyOf } from '@/tests/support/builders/recorder-emissions';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

/** Stores the value of a column as a text that is not UTF-8, whatever it was, as a flipped bit of its type can do. */
function breakText(file: string, table: string, column: string): void {
  const sql = new SqlFile(file);
  const { changes } = sql.run(`UPDATE ${table} SET ${column} = CAST(X'7BFF7D' AS TEXT)`);
  sql.closeWhole();
  expect(changes).toBeGreaterThan(0);
}

function makeLog(): string {
  const file = `${tempDataDir()}/recording.sqlite`;
  const log = openSqliteLog(file, false, (storage) => storage);
  const body = { ...bodyOf('a body'), seq: 1 };
  log.bodies.insert([body]);
  const id = log.checkpoints.begin(1, 1);
  log.checkpoints.append(id, [{ clientId: 'client', json: '{}' }]);
  log.checkpoints.complete(id);
  log.snapshots.save('client', { seq: 1, beginsAt: 1, json: '[]' });
  log.gaps.save({ fromSeq: 1, toSeq: 2, fromAt: 1, toAt: 2, reason: 'the disk is full' });
  log.pins.add({ from: 1, to: 2, clientId: 'client', label: 'a pin', createdAt: 1 });
  log.permalinks.save({ id: 'link', createdAt: 1, json: '{}' }, [body.hash]);
  log.close();
  return file;
}

/** Everything in a recording that is found without knowing a hash or an id that may be damaged. */
function readLog(file: string): unknown[] {
  const log = openSqliteLog(file, false, (storage) => storage);
  const { bodies, checkpoints, snapshots, gaps, pins, permalinks } = log;
  const { hash, typeUrl } = bodyOf('a body');
  const reads = [
    () => bodies.read(hash, typeUrl),
    () => bodies.readMany([hash]),
    () => bodies.findUnnamed(100_000, 10),
    () => checkpoints.read(checkpoints.newest()?.id ?? 0, 0, 10),
    () => snapshots.find('client', 1),
    () => snapshots.newestSeqs(),
    () => gaps.read(),
    () => pins.list(),
    () => permalinks.read('link'),
  ];
  try {
    return reads.map((read) => {
      try {
        return read();
      } catch (error) {
        return error;
      }
    });
  } finally {
    log.close();
  }
}

const undecodable = expect.objectContaining({
  code: 'UNDECODABLE',
  message: 'expected a text in UTF-8, got 3 bytes that are none',
});

describe('a value of SQLite that is a text but not UTF-8', () => {
  it.each([
    ['bodies', 'type_url'],
    ['checkpoint_chunks', 'json'],
    ['snapshots', 'client_id'],
    ['snapshots', 'json'],
    ['gaps', 'reason'],
    ['pins', 'client_id'],
    ['pins', 'label'],
    ['permalinks', 'content'],
  ])('is an error of what reads it: %s.%s', (table, column) => {
    const file = makeLog();
    breakText(file, table, column);
    const errors = readLog(file).filter((each) => each instanceof Error);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toEqual(undecodable);
  });

  it.each([
    ['bodies', 'hash'],
    ['bodies', 'size'],
    ['bodies', 'pack_id'],
    ['body_packs', 'bytes'],
    ['checkpoints', 'seq'],
    ['snapshots', 'begins_at'],
    ['gaps', 'from_at'],
    ['pins', 'created_at'],
  ])('does not end the process: %s.%s', (table, column) => {
    const file = makeLog();
    breakText(file, table, column);
    expect(readLog(file)).toHaveLength(9);
  });

  it('is damage of load', async () => {
    const file = `${tempDataDir()}/load.sqlite`;
    const made = serveLoad({ file });
    await made.open(null);
    await made.close(null);
    const sql = new SqlFile(file);
    sql.run("INSERT INTO load_series VALUES (1, 1, 'client', 'cluster', '{}')");
    sql.closeWhole();
    breakText(file, 'load_series', 'series');
    await expect(serveLoad({ file }).open(null)).rejects.toMatchObject({ code: 'DAMAGED' });
  });

  it('is returned as bytes, and every other text unchanged', () => {
    const sql = new SqlFile(`${tempDataDir()}/some.sqlite`);
    sql.exec('CREATE TABLE some (id INTEGER PRIMARY KEY, name TEXT, bytes BLOB)');
    const texts = ['', 'a', '\ufeffb', 'c\u0000d', 'é漢😀'];
    for (const text of texts) sql.run('INSERT INTO some (name) VALUES (?)', [text]);
    const rows = sql.all<{ name: ArrayBuffer }>('SELECT name FROM some ORDER BY id');
    expect(rows.map(({ name }) => textOf(name))).toEqual(texts);
    sql.run(`UPDATE some SET id = 7, bytes = CAST(X'FFFE' AS TEXT) WHERE name = 'a'`);
    expect(sql.first(`SELECT id, bytes FROM some WHERE name = 'a'`)).toEqual({
      id: 7,
      bytes: Uint8Array.of(0xff, 0xfe).buffer,
    });
    sql.close();
  });
});
