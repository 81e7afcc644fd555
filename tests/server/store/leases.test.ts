import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@/server/observe';
import { countRejected, releaseLeases, takeLeases } from '@/server/store/leases';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { emissionOf } from '@/tests/support/builders/recorder-emissions';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';

const isThere = findPostgres() !== undefined;

describe.skipIf(!isThere)(isThere ? 'leases' : 'leases: skipped, no PostgreSQL is installed', () => {
  let server: PostgresServer;
  let store: StoreDatabase;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    store = await openPostgres({ url: await server.createDatabase() });
  });
  afterEach(() => store.close());

  const names = Array.from({ length: 60 }, (_, index) => `csds:host-${index}`);
  const take = (holder: string, some = names) => takeLeases(store, { holder, names: some, ttlMs: 60_000 });
  /** What happens when its time is over. */
  const expire = async (holder: string) => {
    const bytes = Buffer.from(holder);
    await store.db.updateTable('leases').set({ expires_at: 1 }).where('holder', '=', bytes).execute();
    await store.db.updateTable('lease_claims').set({ expires_at: 1 }).where('holder', '=', bytes).execute();
  };

  it('gives a process alone all that it claims, and keeps the numbers when it takes them again', async () => {
    expect(await take('a')).toEqual(new Map(names.map((name) => [name, 1])));
    await expire('a');
    expect(await take('a')).toEqual(new Map(names.map((name) => [name, 1])));
  });

  it('shares names among the processes that claim them, each with one', async () => {
    await take('a');
    expect((await take('b')).size).toBe(0);
    const kept = await take('a');
    const released = names.filter((name) => !kept.has(name));
    await releaseLeases(store, 'a', released);
    const taken = await take('b');
    expect([...taken.keys()].sort()).toEqual(released.sort());
    expect(new Set(taken.values())).toEqual(new Set([2]));
    for (const share of [kept, taken]) expect(share.size).toBeGreaterThan(15);
    expect((await take('c', ['csds:other'])).size).toBe(1);
  });

  it('lets another process take over what has expired, and nothing before, with the next number', async () => {
    await take('a');
    await take('b');
    expect((await take('a')).size).toBeLessThan(names.length);
    await expire('a');
    expect(await take('b')).toEqual(new Map(names.map((name) => [name, 2])));
    expect((await take('a')).size).toBe(0);
  });

  it('rejects what was made under an earlier number, and counts it', async () => {
    const log = new ObservationLog(store, systemClock);
    await take('a', ['s']);
    await expire('a');
    await take('b', ['s']);
    const observations = [1, 2, 3].map((n) => emissionOf(n, `a ${n}`, 'a', 'cluster').observation);
    const old = { lease: 's', number: 1 };
    const fences = [old, undefined, { lease: 's', number: 2 }];
    expect(await log.append({ observations, fences, key: { collector: 'a', n: 3 } })).toBe(1);
    const stored = await log.readObservations({ limit: 10, order: 'asc' });
    expect(stored.map(({ at }) => at)).toEqual([2, 3]);
    expect(await countRejected(store)).toBe(1);
    const later = { observations: observations.slice(0, 1), fences: [old], key: { collector: 'a', n: 4 } };
    expect(await log.append(later)).toBeUndefined();
    expect([await countRejected(store), await log.newestOfCollector('a')]).toEqual([2, 4]);
    // A batch that is sent again is not counted again.
    expect(await log.append(later)).toBeUndefined();
    expect(await countRejected(store)).toBe(2);
  });
});
