import { describe, expect, it } from 'vitest';
import { serveLoad } from '@/server/live/load/serve-load';
import { SqlFile, textOf } from '@/server/store/recorder/sqlite/sql-file';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

/** Stores the value of a column as a text that is not UTF-8, whatever it was, as a flipped bit of its type can do. */
function breakText(file: string, table: string, column: string): void {
  const sql = new SqlFile(file);
  const { changes } = sql.run(`UPDATE ${table} SET ${column} = CAST(X'7BFF7D' AS TEXT)`);
  sql.closeWhole();
  expect(changes).toBeGreaterThan(0);
}

describe('a value of SQLite that is a text but not UTF-8', () => {
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
