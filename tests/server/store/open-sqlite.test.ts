import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import Database from 'libsql';
import { afterAll, expect, it } from 'vitest';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openSqlite } from '@/server/store/open-sqlite';
import { streamStory } from '../../support/log-story';

const folder = mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'open-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a second, read-only connection sees what the writer commits, and writes nothing', async () => {
  const file = path.join(folder, 'read.sqlite');
  const store = await openSqlite({ file });
  const log = new ObservationLog(store, systemClock);
  await log.append({ observations: streamStory(1) });
  const second = await openSqlite({ file, isReadOnly: true });
  const reader = new ObservationLog(second, systemClock);
  expect(await reader.countHistory({ clientId: 'client-a' })).toBe(8);
  await log.append({ observations: streamStory(2, 'client-b') });
  expect(await reader.countHistory({ clientId: 'client-b' })).toBe(8);
  await expect(reader.append({ observations: streamStory(3) })).rejects.toThrow('readonly');
  expect((await reader.readTotals()).newestSeq).toBe(16);
  await second.close();
  await store.close();
});

it('a closed store is one file, with the durability of the recorder', async () => {
  const file = path.join(folder, 'whole.sqlite');
  const store = await openSqlite({ file });
  await new ObservationLog(store, systemClock).append({ observations: streamStory(1) });
  const full = 2;
  const { rows } = await sql`pragma synchronous`.execute(store.db);
  expect(rows).toEqual([{ synchronous: full }]);
  await store.close();
  const copy = new Database(file, { readonly: true });
  expect(copy.prepare('SELECT count(*) AS n FROM observations').get()).toMatchObject({ n: 8 });
  expect(copy.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
  copy.close();
});

it('another SQLite file, and a missing one to read, are rejected by name and not changed', async () => {
  const file = path.join(folder, 'other.sqlite');
  const other = new Database(file);
  other.exec('CREATE TABLE mine (n)');
  other.close();
  const before = readFileSync(file);
  await expect(openSqlite({ file })).rejects.toThrow(
    `${file}: expected a store of xdscope, got another SQLite file`,
  );
  expect(readFileSync(file)).toEqual(before);
  const missing = path.join(folder, 'missing.sqlite');
  await expect(openSqlite({ file: missing, isReadOnly: true })).rejects.toThrow(
    `${missing}: expected a store, found none`,
  );
});
