import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { StoreRetention } from '@/server/forwarding/store-retention';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import { openSharedRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder, RecorderOptions } from '@/server/store/recorder/recorder';
import type { StoreDatabase } from '@/server/store/schema';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { waitUntil } from '@/tests/support/wait-until';

const isThere = findPostgres() !== undefined;
const title = 'StoreRetention';
const unlimited = { maxAgeMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };

describe.skipIf(!isThere)(isThere ? title : `${title}: skipped, no PostgreSQL is installed`, () => {
  const opened: { close(): Promise<void> }[] = [];
  let server: PostgresServer;
  let database: StoreDatabase;
  let url: string;
  let log: ObservationLog;
  let recorder: Recorder;
  let live: { seq: number; world: World; sources: SourceDirectory };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.createDatabase();
    database = await openPostgres({ url });
    opened.push(database);
    recorder = await openSharedLog();
    log = new ObservationLog(database, systemClock);
    live = { seq: 0, world: new Map(), sources: new SourceDirectory() };
  });
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  /** Stores observations, each of the next of `clients` clients, and folds them as a web process does. */
  const store = async (count: number, { at, clients = 10 }: { at: number; clients?: number }) => {
    for (let from = 0; from < count; from += 500) {
      const emissions = Array.from({ length: Math.min(500, count - from) }, (_, index) => {
        const n = live.seq + index + 1;
        return emissionOf(
          at + index,
          `content ${n} ${'x'.repeat(200)}`,
          `client-${n % clients}`,
          `cluster-${n % 7}`,
        );
      });
      const observations = emissions.map(({ observation }) => observation);
      const first =
        (await log.append({ observations, bodies: emissions.flatMap(({ bodies }) => bodies) })) ?? 0;
      for (const [index, each] of observations.entries())
        foldObservation(live.world, { ...each, seq: first + index } as never);
      live.seq = first + observations.length - 1;
    }
  };
  /** The log as the thread of a web process has it. */
  const openSharedLog = async () => {
    const options = { dataDir: '', clock: systemClock, retention: unlimited };
    const shared = { isFolder: () => true, findReachedSeq: () => live?.seq ?? 0 };
    const found = await openSharedRecorder(url, { ...options, ...shared });
    opened.push(found);
    return found;
  };
  const retain = (limits: Partial<RecorderOptions['retention']>, holder = 'one') => {
    const retention = new StoreRetention({
      ...{ clock: systemClock, database, log, recorder, holder, live },
      holding: { isFolder: true, isWhole: true },
      limits: { ...unlimited, ...limits },
    });
    opened.push(retention);
    retention.start();
    return retention;
  };
  const day = 24 * 3_600_000;

  it('deletes what is older than the limit, with its bodies, except those of permalinks', async () => {
    const now = Date.now();
    await store(1_500, { at: now - 3 * day });
    const held = bodyOf(`content 1 ${'x'.repeat(200)}`).hash;
    const unnamed = bodyOf(`content 2 ${'x'.repeat(200)}`).hash;
    await log.savePermalink({ id: 'kept', createdAt: now, json: '{}' }, [held], 10);
    await store(500, { at: now, clients: 5 });
    const retention = retain({ maxAgeMs: day });
    await waitUntil('the old ones are deleted', () => retention.deleted === 1_500);
    const rest = await log.readObservations({ limit: 1, order: 'asc' });
    expect(rest[0]?.seq).toBe(1_501);
    await waitUntil('the unnamed body is deleted', async () => (await log.readBodies([unnamed])).size === 0);
    expect((await log.readBodies([held])).size).toBe(1);
    expect(retention.problem).toBe('');
  });

  it('lets a web process that begins afterwards have all clients', async () => {
    await store(1_000, { at: Date.now() - 3 * day, clients: 20 });
    await store(500, { at: Date.now(), clients: 2 });
    const retention = retain({ maxAgeMs: day });
    await waitUntil('the old ones are deleted', () => retention.deleted === 1_000);
    const checkpoint = await (await openSharedLog()).loadCheckpoint();
    expect(checkpoint?.seq).toBe(live.seq);
    const world = new Map(checkpoint?.clients.map((client) => [client.clientId, client]));
    expect(new Map([...world].sort())).toEqual(new Map([...live.world].sort()));
  });

  it('deletes the oldest until the store is as small as the limit', async () => {
    await store(3_000, { at: Date.now() });
    const { used } = await database.size();
    const retention = retain({ maxBytes: used / 2 });
    await waitUntil('it is small enough', async () => (await database.size()).used <= used / 2);
    await waitUntil('it is counted', () => retention.deleted > 500);
    expect((await log.readObservations({ limit: 1, order: 'desc' }))[0]?.seq).toBe(3_000);
  });

  it('is done by one process at a time', async () => {
    await store(1_000, { at: Date.now() });
    const first = retain({}, 'one');
    await waitUntil('it holds the lease', async () => {
      const rows = await database.db.selectFrom('leases').selectAll().execute();
      return rows.length === 1;
    });
    const second = retain({ maxCount: 10 }, 'two');
    await waitUntil('it has claimed the lease', async () => {
      const rows = await database.db.selectFrom('lease_claims').selectAll().execute();
      return rows.length === 2;
    });
    await second.close();
    expect([first.deleted, second.deleted]).toEqual([0, 0]);
  });
});
