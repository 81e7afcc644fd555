import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { listSources, readImports } from '../support/project-imports';

const sqlFolder = 'server/store/recorder/sqlite/';
/** Reads recordings that the store does not write. */
const oldFolder = 'server/store/recorder/version-1/';
const sqlText =
  /\b(?:SELECT\s[\s\S]*?\sFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX)|DROP\s+TABLE|PRAGMA\s+\w|BEGIN\s+(?:IMMEDIATE|DEFERRED|EXCLUSIVE))\b/;
/** These files create the implementation. All others receive an interface. */
const mayOpen = [
  'server/compose/open-recording.ts',
  'server/compose/open-state.ts',
  'server/compose/open-storage.ts',
  'server/live/load/open-load-file.ts',
  'server/store/backup/backup.ts',
  'server/store/backup/restore.ts',
  'server/store/recorder/open-recorder.ts',
  'server/store/recorder/thread/recorder-worker.ts',
  'server/store/recorder/version-1/convert.ts',
  'server/store/recorder/version-1/recording.ts',
];

describe('storage', () => {
  const sources = ['app', 'lib', 'server'].flatMap(listSources);

  it('has its SQL in one folder', () => {
    const found = sources.filter((file) => sqlText.test(readFileSync(path.join(projectRoot, file), 'utf8')));
    expect(found.length).toBeGreaterThan(3);
    expect(found.filter((file) => !file.startsWith(sqlFolder) && !file.startsWith(oldFolder))).toEqual([]);
  });

  it.each([
    ['libsql', ['server/store/open-sqlite.ts', `${sqlFolder}sql-file.ts`]],
    ['pg', ['server/store/open-postgres.ts']],
  ])('has the driver %s where databases are opened', (driver, files) => {
    const importing = readImports(['app', 'lib', 'server']).filter(({ target }) => target === driver);
    expect(importing.map(({ file }) => file)).toEqual(files);
  });

  it('has its query builder in the store', () => {
    const importing = readImports(['app', 'lib', 'server']).filter(({ target }) => target === 'kysely');
    expect(importing.length).toBeGreaterThan(2);
    expect(importing.filter(({ file }) => !file.startsWith('server/store/'))).toEqual([]);
  });

  it('is reached through its interfaces, except where it is opened', () => {
    const importing = readImports(['app', 'lib', 'server']).filter(
      ({ file, target }) => target.startsWith(sqlFolder) && !file.startsWith(sqlFolder),
    );
    expect([...new Set(importing.map(({ file }) => file))].sort()).toEqual(mayOpen);
  });

  it.each([
    ['SELECT id FROM bodies', true],
    ['sql.run(`DELETE\n FROM gaps`)', true],
    ['INSERT OR IGNORE INTO series (id)', true],
    ['await select(from)', false],
    ['/** Selects observations FROM the log */', false],
  ])('finds SQL in %j: %s', (text, isSql) => {
    expect(sqlText.test(text)).toBe(isSql);
  });
});
