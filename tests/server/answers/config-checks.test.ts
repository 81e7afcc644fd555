import { describe, expect, it, vi } from 'vitest';
import { findIssueAt, type IssueAt } from '@/lib/issues/issue-at';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Vantage } from '@/lib/observation/vantage';
import { CDS } from '@/lib/xds/resource-type';
import type { AskClient } from '@/server/answers/ask-client';
import { ConfigChecks } from '@/server/answers/issues/config-checks';
import { ApiError } from '@/server/api-error';
import { conditionsEntry, KnownConditions } from '@/server/live/issues/known-conditions';
import { sampleReport } from '../../support/builders/observation-samples';
import { ManualClock } from '../../support/recorder-manual-clock';
import { tempDataDir } from '../../support/recorder-temp-dir';
import { openKept } from '../../support/test-state';

const failingListener = {
  status: 'error',
  start: { listener: 'shop' },
  error: 'the listener has no routes',
  chains: [],
  clusters: { items: [] },
};

function listOf(checks: ConfigChecks, at: number): IssueAt[] {
  return checks.records().flatMap((each) => findIssueAt(each, at) ?? []);
}

/** Checks of clients whose config has a tear since `fromAt`. */
async function checksOf(
  findTear: () => number | undefined,
  clientIds = ['c1'],
  {
    dataDir = tempDataDir(),
    clock = new ManualClock(),
    vantageOf = (): Vantage => 'csds',
  }: {
    readonly dataDir?: string;
    readonly clock?: ManualClock;
    readonly vantageOf?: (clientId: string) => Vantage;
  } = {},
) {
  const world: World = new Map();
  for (const [index, clientId] of clientIds.entries())
    foldObservation(world, { ...sampleReport({ clientId, vantage: vantageOf(clientId) }), seq: index + 1 });
  let revision = 1;
  const watchers: ((clientId: string) => void)[] = [];
  const changeAll = (): void => {
    revision += 1;
    for (const clientId of world.keys()) for (const watcher of watchers) watcher(clientId);
  };
  const failing = new Set<string>();
  const growing = new Set<string>();
  let asked = 0;
  let checkedAt = 0;
  const askedClients: string[] = [];
  const askClient = (async (name: string, { clientId }: { readonly clientId: string }) => {
    if (name === 'resolved' && failing.has(clientId)) return failingListener;
    if (name !== 'tears') return undefined;
    checkedAt = clock.now();
    asked += 1;
    askedClients.push(clientId);
    const fromAt = findTear();
    if (fromAt === undefined) return { items: [] };
    const impact = { outcome: 'fails', durationMs: 1, text: '' };
    const resources = [{ typeUrl: CDS.typeUrl, name: 'cart' }];
    return {
      items: [
        {
          ...{ kind: 'cluster-removed-in-use', rejection: '' },
          fromAt,
          toAt: undefined,
          resources,
          a74: impact,
          preA74: impact,
        },
      ],
    };
  }) as unknown as AskClient;
  const checks = new ConfigChecks({
    ...{
      clock,
      live: {
        ...{ world, revisionOf: () => revision, isGrowing: (clientId) => growing.has(clientId) },
        watch: (watcher) => watchers.push(watcher),
      },
      askClient,
    },
    known: new KnownConditions(await openKept(conditionsEntry, dataDir)),
  });
  return {
    checks,
    clock,
    world,
    /** Returns what is known after the client has changed and was checked again. */
    async next() {
      changeAll();
      clock.advance(10_000);
      listOf(checks, clock.now());
      // The check runs in the background.
      await new Promise(setImmediate);
      clock.advance(10_000);
      return listOf(checks, clock.now());
    },
    /** The config of the client changes; returns the time from which it was checked. */
    change() {
      clock.advance(1_000);
      changeAll();
      return checkedAt;
    },
    asked: () => asked,
    askedClients,
    failing,
    growing,
    now: () => clock.now(),
    idle: () => clock.advance(60_000),
  };
}

it('finds the tears of a client in the background, and keeps their onset', async () => {
  let fromAt: number | undefined;
  const { checks, clock, next, now } = await checksOf(() => fromAt);
  const since = now();
  expect(checks.progress).toMatchObject({ checked: 0, total: 1 });
  expect(await next()).toEqual([]);
  expect(checks.progress).toMatchObject({ checked: 1, total: 1, asOf: now() });
  fromAt = since;
  expect(await next()).toMatchObject([{ since, record: { cause: { kind: 'tear', name: 'cart' } } }]);
  // The part of the log that is read begins later than the tear.
  fromAt = since + 5_000;
  expect(await next()).toMatchObject([{ since }]);
  fromAt = undefined;
  const [ended] = await next();
  expect(ended).toMatchObject({ since, periods: [{ from: since, end: 'repaired' }] });
  expect(ended?.resolvedAt).toBeGreaterThan(since + 15_000);
  expect((await next()).map(({ resolvedAt }) => resolvedAt)).toEqual([ended?.resolvedAt]);
  // What has ended is listed for an hour.
  clock.advance(3_600_000);
  await next();
  expect(await next()).toEqual([]);
});

it('states the time of the config that was checked while a client has changed since', async () => {
  const { checks, next, change, now } = await checksOf(() => undefined);
  await next();
  expect(checks.progress.asOf).toBe(now());
  const checkedAt = change();
  expect(checks.progress.asOf).toBe(checkedAt);
  await next();
  expect(checks.progress.asOf).toBe(now());
});

it('has nothing of a client that the log reports nothing of until a moment', async () => {
  const { checks, now } = await checksOf(() => {
    throw new ApiError(404, 'Moment not found', 'at: the log reports nothing of the client');
  });
  expect(await checks.findAt('2026-11-26T20:54:30Z', now())).toEqual([]);
});

it('ends what a client has when no source reports it any more, and does not state a repair', async () => {
  const { checks, clock, world, next, now } = await checksOf(() => 1_000);
  await next();
  expect(listOf(checks, now())).toMatchObject([{ resolvedAt: undefined }]);
  const goneAt = now();
  foldObservation(world, {
    ...{ kind: 'client-gone', at: goneAt, vantage: 'csds', sourceId: 'csds:a:1', seq: 9 },
    ...{ clientId: 'c1', side: 'client', reason: 'the process ended' },
  });
  expect(await next()).toMatchObject([{ resolvedAt: goneAt, periods: [{ to: goneAt, end: 'gone' }] }]);
  expect(checks.progress).toMatchObject({ checked: 0, total: 0 });
  // The client is forgotten before its issue is.
  world.clear();
  expect(await next()).toMatchObject([{ resolvedAt: goneAt, periods: [{ end: 'gone' }] }]);
  clock.advance(3_600_000);
  expect(listOf(checks, now())).toEqual([]);
});

it('finds again what a client has that is reported again', async () => {
  const { checks, world, next, now } = await checksOf(() => 1_000);
  await next();
  const goneAt = now();
  foldObservation(world, {
    ...{ kind: 'client-gone', at: goneAt, vantage: 'csds', sourceId: 'csds:a:1', seq: 9 },
    ...{ clientId: 'c1', side: 'client', reason: 'the process ended' },
  });
  await next();
  foldObservation(world, { ...sampleReport({ clientId: 'c1', at: now() }), seq: 10 });
  // The check of what was reported before says nothing of it.
  expect(checks.progress).toMatchObject({ checked: 0, total: 1 });
  expect(await next()).toMatchObject([{ resolvedAt: undefined, periods: [{ clientId: 'c1' }] }]);
});

it('checks a client of a file when all of it was read', async () => {
  const { checks, growing, asked, next } = await checksOf(() => 1_000);
  growing.add('c1');
  expect(await next()).toEqual([]);
  expect(asked()).toBe(0);
  expect(checks.progress).toMatchObject({ checked: 0, total: 1 });
  growing.clear();
  expect(await next()).toMatchObject([{ since: 1_000 }]);
});

it('checks nothing if nobody asks', async () => {
  const { asked, next, idle } = await checksOf(() => undefined);
  await next();
  const before = asked();
  idle();
  await new Promise(setImmediate);
  idle();
  expect(asked()).toBe(before);
});

it('checks the first clients without a pause', async () => {
  const { checks, clock, now } = await checksOf(() => undefined, ['web', 'batch', 'edge']);
  listOf(checks, now());
  for (const checked of [1, 2, 3]) {
    await new Promise(setImmediate);
    expect(checks.progress).toMatchObject({ checked, total: 3, asOf: now() });
    clock.advance(0);
  }
});

it('checks clients of files after live ones, each at the time at which it was captured', async () => {
  const vantages: Record<string, Vantage> = { file: 'dump', web: 'csds', probe: 'probe' };
  const { checks, clock, now, askedClients, failing } = await checksOf(
    () => undefined,
    Object.keys(vantages),
    {
      vantageOf: (id) => vantages[id] ?? 'csds',
    },
  );
  failing.add('file');
  for (const _ of [1, 2, 3]) {
    listOf(checks, now());
    await new Promise(setImmediate);
    clock.advance(0);
  }
  expect(askedClients).toEqual(['web', 'file']);
  expect(checks.progress).toMatchObject({ checked: 2, total: 2, asOf: now() });
  // The sample was captured at 2,000 ms, and counts at once.
  expect(listOf(checks, 2_000)).toMatchObject([
    { since: 2_000, periods: [{ clientId: 'file' }], record: { cause: { kind: 'unserved', name: 'shop' } } },
  ]);
});

it('lists what lasted before a restart with its onset, until the client is checked again', async () => {
  const [dataDir, clock] = [tempDataDir(), new ManualClock()];
  let fromAt: number | undefined = clock.now();
  const since = fromAt;
  const first = await checksOf(() => fromAt, ['c1'], { dataDir, clock });
  expect(await first.next()).toMatchObject([{ since }]);
  first.idle();
  const second = await checksOf(() => fromAt, ['c1'], { dataDir, clock });
  expect(listOf(second.checks, clock.now())).toMatchObject([{ since, resolvedAt: undefined }]);
  // The part of the log that is read begins later than the tear.
  fromAt = clock.now();
  expect(await second.next()).toMatchObject([{ since }]);
  fromAt = undefined;
  // A check that was due before may be the next one.
  await second.next();
  expect((await second.next()).map(({ resolvedAt }) => resolvedAt)).toEqual([expect.any(Number)]);
});

describe('a client with many listeners', () => {
  /** Checks of a client each of whose listeners serves nothing; to read one takes `askMs`. */
  async function checksOfMany(count: number, askMs: number) {
    const clock = new ManualClock();
    const world: World = new Map();
    foldObservation(world, { ...sampleReport({ clientId: 'c1' }), seq: 1 });
    const names = Array.from({ length: count }, (_, index) => `shop-${index}`);
    const starts = names
      .slice(0, 200)
      .map((listener) => ({ listener, kind: 'api', address: '', state: 'DOES_NOT_EXIST' }));
    let revision = 1;
    let note = (_clientId: string): void => undefined;
    const asked: string[] = [];
    const repaired = new Set<string>();
    const askClient = (async (name: string, _: object, { listener = 'shop-0' }: { listener?: string }) => {
      if (name !== 'resolved') return undefined;
      asked.push(listener);
      clock.advance(askMs);
      const answer = { starts, startsTotal: count, start: { listener }, chains: [], dynamic: [] };
      return repaired.has(listener)
        ? { ...answer, status: 'resolved', clusters: { items: [], byStatus: {} } }
        : { ...answer, status: 'error', error: `${listener} does not exist` };
    }) as unknown as AskClient;
    const checks = new ConfigChecks({
      ...{ clock, askClient, known: new KnownConditions(await openKept(conditionsEntry)) },
      live: {
        ...{ world, revisionOf: () => revision, isGrowing: () => false },
        watch: (watcher) => {
          note = watcher;
        },
      },
    });
    return {
      ...{ names, repaired },
      unchecked: () => checks.progress.partly.items.map((each) => [each.unchecked, each.listeners]),
      open: () =>
        // An issue that follows from the config counts after some time.
        listOf(checks, clock.now() + 60_000)
          .filter(({ resolvedAt }) => resolvedAt === undefined)
          .map(({ record }) => record.cause.name),
      change: () => {
        revision += 1;
        note('c1');
      },
      /** Returns how many listeners were read. */
      async next(): Promise<number> {
        const before = asked.length;
        clock.advance(60_000);
        checks.records();
        await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before));
        let known: number;
        do {
          known = asked.length;
          await new Promise(setImmediate);
        } while (asked.length > known);
        return asked.length - before;
      },
      isIdle(): boolean {
        const before = asked.length;
        clock.advance(60_000);
        checks.records();
        return asked.length === before;
      },
    };
  }

  it('is checked as a whole if there is time', async () => {
    const { names, next, open, unchecked } = await checksOfMany(30, 1);
    await next();
    expect(unchecked()).toEqual([]);
    expect(open().sort()).toEqual([...names].sort());
  });

  it('is named with the listeners that were not checked, which the next checks read', async () => {
    const { names, next, open, unchecked, isIdle } = await checksOfMany(100, 48);
    expect(await next()).toBe(63);
    expect(unchecked()).toEqual([[37, 100]]);
    // The first one is read again, because it has the list.
    expect(await next()).toBe(38);
    expect(unchecked()).toEqual([]);
    expect(open().sort()).toEqual([...names].sort());
    expect(isIdle()).toBe(true);
  });

  it('keeps what an earlier check found of a listener until it is read again', async () => {
    const { names, next, open, unchecked, repaired, change } = await checksOfMany(100, 48);
    await next();
    await next();
    for (const name of names) repaired.add(name);
    change();
    await next();
    expect(unchecked()).toEqual([[37, 100]]);
    expect(open()).toHaveLength(37);
    await next();
    expect(unchecked()).toEqual([]);
    expect(open()).toEqual([]);
  });

  it('has listeners beyond the 200 that are listed, of which nothing is known', async () => {
    const { next, unchecked, isIdle } = await checksOfMany(250, 1);
    await next();
    expect(unchecked()).toEqual([[50, 250]]);
    expect(isIdle()).toBe(true);
  });
});
