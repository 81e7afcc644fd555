import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Forwarder } from '@/server/forwarding/forwarder';
import { leaseTermsEntry, SourceLeases } from '@/server/forwarding/source-leases';
import { systemClock } from '@/server/observe';
import { initialSourceStatus } from '@/server/source-status';
import type { StarterOf } from '@/server/sources/source-starter';
import { KeptValue } from '@/server/store/kept-value';
import { ObservationLog } from '@/server/store/log';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { StateStore } from '@/server/store/state';
import { emissionOf } from '@/tests/support/builders/recorder-emissions';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { waitUntil } from '@/tests/support/wait-until';

const isThere = findPostgres() !== undefined;
const title = 'SourceLeases';

describe.skipIf(!isThere)(isThere ? title : `${title}: skipped, no PostgreSQL is installed`, () => {
  const opened: { close(): Promise<void> }[] = [];
  let server: PostgresServer;
  let store: StoreDatabase;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
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

  const sourceId = 'csds:host:1';
  const setup = { kind: 'csds' } as never;

  /** A collector whose one source observes when `observe()` is called, if it runs. */
  const openCollector = async (collector: string) => {
    const recorder = await openWholeRecorder();
    const kept = await KeptValue.open(new StateStore({ database: store, onDamage() {} }), {
      ...leaseTermsEntry,
      key: `terms of ${collector}`,
    });
    const outdated: string[] = [];
    const onInherited = (id: string): void => void outdated.push(id);
    const leases = new SourceLeases({ clock: systemClock, collector, kept, recorder, onInherited });
    let isRunning = false;
    const starterOf: StarterOf = () => () => ({
      status: { ...initialSourceStatus, state: 'up' },
      start() {
        isRunning = true;
      },
      pause() {},
      resume() {},
      async close() {
        isRunning = false;
      },
    });
    const source = { id: sourceId, target: 'host:1', origin: 'config' } as const;
    leases
      .wrap(starterOf)(
        source,
        setup,
      )(() => undefined)
      .start();
    const forwarder = new Forwarder({
      ...{ recorder, collector, clock: systemClock, leases },
      open: () => openPostgres({ url }),
    });
    opened.push(recorder, forwarder);
    return {
      ...{ leases, forwarder, recorder, outdated },
      isRunning: () => isRunning,
      observe(n: number) {
        const { observation, bodies } = emissionOf(n, `${collector} ${n}`, collector, 'cluster');
        recorder.append({ observation: { ...observation, sourceId }, bodies });
      },
      isForwarded: () => waitUntil('all is forwarded', () => forwarder.state.waiting === 0),
    };
  };
  const expireAll = async () => {
    await store.db.updateTable('leases').set({ expires_at: 1 }).execute();
    await store.db.updateTable('lease_claims').set({ expires_at: 1 }).execute();
  };
  const storedTimes = async () => {
    const log = new ObservationLog(store, systemClock);
    return (await log.readObservations({ limit: 100, order: 'asc' })).map(({ at }) => at);
  };

  it('runs a source in one process, and in another one when the first has died: their observations do not interleave', async () => {
    const [a, b] = [await openCollector('a'), await openCollector('b')];
    await a.leases.takeTurn(store);
    await b.leases.takeTurn(store);
    expect([a.isRunning(), b.isRunning()]).toEqual([true, false]);
    a.observe(1);
    await a.recorder.flushed();
    a.forwarder.start();
    await a.isForwarded();
    // From now on, a takes no turns: its process hangs, or cannot reach the store.
    await expireAll();
    await b.leases.takeTurn(store);
    expect(b.isRunning()).toBe(true);
    b.observe(2);
    await b.recorder.flushed();
    b.forwarder.start();
    await b.isForwarded();
    a.observe(3);
    await a.recorder.flushed();
    await a.isForwarded();
    expect(await storedTimes()).toEqual([1, 2]);
    // Only b observes something that another process has observed.
    expect([a, b].map(({ leases, outdated }) => [[...leases.inherited].length, outdated])).toEqual([
      [0, []],
      [1, [sourceId]],
    ]);
    await a.leases.takeTurn(store);
    expect([a.isRunning(), b.isRunning(), a.leases.rejected]).toEqual([false, true, 1]);
  });

  it('rejects what waited while another process had the lease, and stores what follows when it has it again', async () => {
    const [a, b] = [await openCollector('a'), await openCollector('b')];
    await a.leases.takeTurn(store);
    a.observe(1);
    await a.recorder.flushed();
    await expireAll();
    await b.leases.takeTurn(store);
    await expireAll();
    await a.leases.takeTurn(store);
    expect(a.isRunning()).toBe(true);
    a.observe(2);
    await a.recorder.flushed();
    a.forwarder.start();
    await a.isForwarded();
    expect(await storedTimes()).toEqual([2]);
  });

  it('stores everything that was observed while the store could not be reached, if nobody took the lease over', async () => {
    const a = await openCollector('a');
    a.leases.runUnconnected();
    expect(a.isRunning()).toBe(true);
    a.observe(1);
    await a.recorder.flushed();
    await a.leases.takeTurn(store);
    a.observe(2);
    await a.recorder.flushed();
    await expireAll();
    a.observe(3);
    await a.recorder.flushed();
    await a.leases.takeTurn(store);
    a.forwarder.start();
    await a.isForwarded();
    expect(await storedTimes()).toEqual([1, 2, 3]);
  });
});
