import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoadScope, LoadSeries } from '@/lib/load/load-series';
import { valuesOf } from '@/lib/load/load-values';
import { copyLoad } from '@/server/forwarding/copy-load';
import { LoadForwarder } from '@/server/forwarding/forward-load';
import { SharedLoads } from '@/server/forwarding/shared-loads';
import { LoadBlockWriter } from '@/server/live/load/load-block';
import type { LoadReader } from '@/server/live/load/load-reader';
import type { LoadRecorder } from '@/server/live/load/load-recorder';
import { type Clock, systemClock } from '@/server/observe';
import { releaseLeases, takeLeases } from '@/server/store/leases';
import { packSeries, WaitingLoad } from '@/server/store/load/waiting-load';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { clusterLoad, loadReported, localityLoad } from '@/tests/support/builders/load-samples';
import { openLoads } from '@/tests/support/open-loads';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { isLong } from '@/tests/support/runs';
import { waitUntil } from '@/tests/support/wait-until';

const isThere = findPostgres() !== undefined;
const title = 'load of a shared store';

describe.skipIf(!isThere)(isThere ? title : `${title}: skipped, no PostgreSQL is installed`, () => {
  const opened: { close(): Promise<void> }[] = [];
  let server: PostgresServer;
  let url: string;
  let store: StoreDatabase;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: true });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.createDatabase();
    store = await openPostgres({ url });
    opened.push(store);
  });
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  const scope: LoadScope = {
    ...{ sourceId: 'lrs', vantage: 'lrs', clientId: 'one', clusterName: 'cart', clusterServiceName: '' },
    ...{ stream: 0, isTimed: true },
  };
  /** Each report has one request. */
  const report = (loads: LoadRecorder, clientId: string, count: number, sourceId = 'lrs') => {
    for (let n = 0; n < count; n++) {
      const localities = [localityLoad(`zone-${n % 3}`, { successful: '1' })];
      const clusters = [clusterLoad(localities, { clusterName: `shop-${n % 50}` })];
      loads.observe(
        loadReported(Date.now() - (n % 90) * 1_000, clusters, { clientId, sourceId, streamId: clientId }),
      );
    }
  };
  const forward = (
    loads: LoadRecorder,
    collector: string,
    leases?: ConstructorParameters<typeof LoadForwarder>[0]['leases'],
  ) => {
    const forwarder = new LoadForwarder({
      ...{ clock: systemClock, loads, collector, store: () => store },
      ...(leases && { leases }),
    });
    opened.push(forwarder);
    forwarder.start();
    return forwarder;
  };
  const startWeb = (isFolder: () => boolean, clock: Clock = systemClock) => {
    const loads = new SharedLoads({ clock, url, isFolder });
    loads.start(() => undefined);
    opened.push(loads);
    return loads;
  };
  const span = { from: 0, to: Date.now() + 3_600_000 };
  const requestsOf = async (loads: LoadReader, by: 'client' | 'cluster' = 'client') => {
    const { groups } = await loads.read({ by, span, stepMs: null, measures: [], limit: 100 });
    return new Map(
      groups.map(({ key, totals }) => [key.clientId ?? key.clusterName, Number(totals.successful)]),
    );
  };
  const allOf = async (loads: LoadReader) =>
    [...(await requestsOf(loads)).values()].reduce((sum, requests) => sum + requests, 0);

  it('has every report of two collectors once, however many there are, and across restarts and a takeover', async () => {
    const [a, b] = [await openLoads(), await openLoads()];
    let folder = 0;
    const webs = [startWeb(() => folder === 0), startWeb(() => folder === 1)] as const;
    report(a, 'one', 2_000);
    report(b, 'two', 500);
    const first = [forward(a, 'a'), forward(b, 'b')];
    await waitUntil('the first reports are recorded', async () => (await allOf(webs[0])) === 2_500);
    for (const each of first) await each.close();
    report(a, 'one', 700);
    forward(a, 'a');
    forward(b, 'b');
    await waitUntil('all are recorded', async () => (await allOf(webs[0])) === 3_200);
    expect(await requestsOf(webs[1])).toEqual(
      new Map([
        ['one', 2_700],
        ['two', 500],
      ]),
    );
    folder = 1;
    report(b, 'two', 100);
    await waitUntil('the other process records', async () => (await allOf(webs[1])) === 3_300);
    expect(await requestsOf(webs[0], 'cluster')).toEqual(await requestsOf(webs[1], 'cluster'));
    expect(webs.map(({ stats }) => [stats.reports, stats.leftOut, stats.problem])).toEqual([
      [3_200, 0, ''],
      [100, 0, ''],
    ]);
  });

  it('loses and doubles nothing when the database is killed at random moments', async () => {
    const loads = await openLoads();
    const forwarder = forward(loads, 'a');
    const web = startWeb(() => true);
    const rounds = isLong ? 50 : 3;
    for (let round = 1; round <= rounds; round++) {
      report(loads, 'one', 300);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2_000));
      await server.kill();
      await server.restart();
      await store.close();
      store = await openPostgres({ url });
      opened.push(store);
    }
    await waitUntil('all are recorded', async () => {
      if (forwarder.problem !== '' || web.stats.problem !== '') return false;
      return (await allOf(web)) === rounds * 300;
    });
  });

  it('doubles nothing while two processes record, because each believes that the other does not', async () => {
    const loads = await openLoads();
    forward(loads, 'a');
    const startedAt = Date.now();
    // Minutes are closed every half a second.
    const clock = { ...systemClock, now: () => startedAt + 20 * (Date.now() - startedAt) };
    let isSplit = true;
    const webs = [startWeb(() => true, clock), startWeb(() => isSplit, clock)] as const;
    for (let round = 1; round <= 8; round++) {
      report(loads, 'one', 200);
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    isSplit = false;
    for (const web of webs)
      await waitUntil('all are recorded', async () => {
        if (webs[0].stats.problem !== '') return false;
        return (await allOf(web).catch(() => 0)) === 1_600;
      });
    const { rows } = await sql<{ n: number }>`select count(*) as n from load_raw where rolled = 1`.execute(
      store.db,
    );
    expect(rows[0]?.n).toBeGreaterThan(0);
  });

  it('leaves out what a collector observed of a source that another one had taken over', async () => {
    const lease = 'envoy-admin:host:9901';
    const take = (holder: string) => takeLeases(store, { holder, names: [lease], ttlMs: 60_000 });
    expect(await take('a')).toEqual(new Map([[lease, 1]]));
    await releaseLeases(store, 'a', [lease]);
    await store.db.deleteFrom('lease_claims').execute();
    expect(await take('b')).toEqual(new Map([[lease, 2]]));
    const loads = await openLoads();
    report(loads, 'outdated', 10, lease);
    report(loads, 'its own', 20);
    const fenceAt = (sourceId: string) => (sourceId === lease ? { lease, number: 1 } : undefined);
    forward(loads, 'a', { fenceAt, noteLoadSent: async () => undefined });
    const web = startWeb(() => true);
    await waitUntil('it is recorded', async () => (await allOf(web)) > 0);
    expect(await requestsOf(web)).toEqual(new Map([['its own', 20]]));
  });

  it('copies what a recording has, once, also if the copy is interrupted, and then forwards what is new', async () => {
    const loads = await openLoads();
    const hourMs = 3_600_000;
    const now = Date.now();
    for (const hoursAgo of [30 * 24, 29 * 24, 50, 49.5, 8, 2, 1, 0])
      loads.observe(
        loadReported(now - hoursAgo * hourMs, [clusterLoad([localityLoad('a', { successful: '1000' })])], {
          clientId: hoursAgo > 40 ? 'old' : 'new',
        }),
      );
    const ofFile: LoadSeries = {
      scope: { ...scope, clientId: 'filed', fileId: 'f' },
      part: { kind: 'cluster' },
    };
    const block = new LoadBlockWriter();
    block.add(1, 'cluster', valuesOf(now - 90 * hourMs, [1, 0, 7]));
    await loads.add(block.finish(), () => ofFile);
    await loads.flushed();
    await loads.tidy();
    const copied = { clock: systemClock, collector: 'a' };
    let parts = 0;
    const interrupted = {
      newestBlock: loads.newestBlock,
      blocksAfter: loads.blocksAfter.bind(loads),
      async *excerptParts(...asked: Parameters<typeof loads.excerptParts>) {
        for await (const part of loads.excerptParts(...asked)) {
          if (++parts > 2) throw new Error('the process was killed');
          yield part;
        }
      },
    };
    await expect(copyLoad({ ...copied, loads: interrupted }, store)).rejects.toThrow('was killed');
    const web = startWeb(() => true);
    await waitUntil('a part is recorded', async () => (await allOf(web)) > 0);
    await copyLoad({ ...copied, loads }, store);
    await copyLoad({ ...copied, loads }, store);
    const expected = await requestsOf(loads);
    expect([...expected.values()].reduce((sum, requests) => sum + requests, 0)).toBe(8_000);
    await waitUntil('all is recorded', async () => (await allOf(web)) === 8_000);
    expect(await requestsOf(web)).toEqual(expected);
    const { groups } = await web.read({
      ...{ by: 'cluster', clientId: 'filed', span, stepMs: null, measures: [], limit: 1 },
    });
    expect(groups.map(({ totals }) => totals.dropped)).toEqual([7]);
    report(loads, 'new', 10);
    forward(loads, 'a');
    await waitUntil('what is new is recorded', async () => (await allOf(web)) === 8_010);
  });

  it('records what can be read if a block cannot', async () => {
    const series = packSeries([{ id: 1, series: { scope, part: { kind: 'cluster' } } }]);
    const damaged = { fences: [], without: () => ({ series, bytes: Buffer.from([99, 99]) }) };
    await new WaitingLoad(store).add('a', 1, [damaged]);
    const loads = await openLoads();
    report(loads, 'one', 5);
    forward(loads, 'b');
    const web = startWeb(() => true);
    await waitUntil('the others are recorded', async () => (await allOf(web)) === 5);
  });
});
