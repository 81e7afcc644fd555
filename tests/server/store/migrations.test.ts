import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrate, migrations } from '@/server/store/migrations';
import type { StoreDatabase } from '@/server/store/schema';
import { bytesOfText, textOfBytes } from '@/server/store/text-bytes';
import { describeEngines } from './engines';

async function tablesOf({ db }: StoreDatabase): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables.map(({ name }) => name).sort();
}

describeEngines('migrate()', ({ open, openAgain }) => {
  it('creates all tables, and none when the store is opened again', async () => {
    const store = await open();
    expect(await tablesOf(store)).toEqual([
      ...[
        'bodies',
        'body_holders',
        'client_heads',
        'client_issues',
        'client_snapshots',
        'collectors',
        'densities',
      ],
      ...[
        'fleet_questions',
        'gaps',
        'head_contents',
        'head_facts',
        'heads_position',
        'lease_claims',
        'leases',
      ],
      ...[
        'load_fleet',
        'load_raw',
        'load_raw_times',
        'load_reach',
        'load_series',
        'load_sums',
        'load_waiting',
      ],
      ...['log_heads', 'log_parts', 'observations'],
      ...['payloads', 'permalinks', 'pins', 'state', 'store_version', 'terms', 'texts'],
    ]);
    await store.db
      .insertInto('state')
      .values({ key: bytesOfText('a\u0000'), json: bytesOfText('"ü"'), version: 1 })
      .execute();
    const again = await openAgain();
    const [row] = await again.db.selectFrom('state').selectAll().execute();
    expect(row && [textOfBytes(row.key), textOfBytes(row.json), row.version]).toEqual(['a\u0000', '"ü"', 1]);
  });

  it('leads down to each version and up again', async () => {
    const store = await open();
    const before = await tablesOf(store);
    for (let version = migrations.length - 1; version >= 0; version--) {
      expect(await migrate(store, version)).toBe(version + 1);
    }
    expect(await tablesOf(store)).toEqual(['store_version']);
    expect(await migrate(store)).toBe(0);
    expect(await tablesOf(store)).toEqual(before);
  });

  it('rejects a store of a newer version, and leaves it unchanged', async () => {
    const store = await open();
    await sql`update store_version set version = 99`.execute(store.db);
    await expect(openAgain()).rejects.toThrow(
      `expected a store of version ${migrations.length} or older, got version 99`,
    );
    const { rows } = await sql<{ version: number }>`select version from store_version`.execute(store.db);
    expect(rows).toEqual([{ version: 99 }]);
  });

  it('leaves the store as it was if a migration fails', async () => {
    const store = await open();
    await migrate(store, 0);
    await sql`create table gaps (n integer)`.execute(store.db);
    await expect(migrate(store)).rejects.toThrow(/gaps/);
    expect(await tablesOf(store)).toEqual(['gaps', 'store_version']);
  });
});
