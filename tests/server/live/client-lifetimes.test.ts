import { describe, expect, it, onTestFinished } from 'vitest';
import type { World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { briefMs, ClientLifetimes } from '@/server/live/client-lifetimes';
import type { LiveState } from '@/server/live/live-state';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';
import { ManualClock } from '../../support/recorder-manual-clock';

const minuteMs = 60_000;

/** Sources `a` and `b`; what they report goes the way of the runtime: admitted, logged, folded. */
function start(limits = { total: 5, perSource: 3 }, world: World = new Map()) {
  const clock = new ManualClock();
  const log: Observation[] = [];
  const sources = new Set(['a', 'b']);
  const restarted: string[] = [];
  const live: LiveState = openLiveState(
    {
      clock,
      append: ({ observation }) => log.push(observation),
      onFolded: (observation) => lifetimes.observe(observation),
    },
    { world, newestSeq: 0 },
  );
  const lifetimes: ClientLifetimes = new ClientLifetimes({
    ...{ clock, live, limits, isSource: (id: string) => sources.has(id) },
    onRoom: (sourceId) => {
      restarted.push(sourceId);
      live.forgetSource(sourceId);
      lifetimes.sourceRenewed(sourceId);
    },
  });
  onTestFinished(() => lifetimes.close());
  const observe = (observation: Observation): void => {
    if (lifetimes.admit(observation)) live.observe({ observation, bodies: [] });
  };
  const polledAt = new Map<string, number>();
  const known = new Map<string, ReadonlySet<string>>();
  /** One answer of a source that is polled; what changed is reported, as the pollers do. */
  const poll = (sourceId: string, ...clientIds: string[]): void => {
    const at = clock.now();
    const before = known.get(sourceId) ?? new Set();
    const previousAt = polledAt.get(sourceId) ?? 0;
    for (const clientId of before) {
      if (clientIds.includes(clientId)) continue;
      const gone = { kind: 'client-gone', side: 'client', reason: 'not named', previousAt } as const;
      observe({ ...gone, at, vantage: 'csds', sourceId, clientId });
    }
    for (const clientId of clientIds) {
      if (before.has(clientId)) continue;
      observe(sampleReport({ at, clientId, sourceId, changed: [sampleResource({ name: clientId })] }));
    }
    known.set(sourceId, new Set(clientIds));
    polledAt.set(sourceId, at);
    clock.advance(1_000);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= minuteMs) {
      clock.advance(Math.min(left, minuteMs));
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
  };
  const clients = (): string[] => [...live.world.keys()].sort();
  return { clock, live, lifetimes, log, sources, restarted, known, observe, poll, pass, clients };
}

describe('limits of clients', () => {
  it('a source above its limit: more clients are neither kept nor logged, and counted', () => {
    const { lifetimes, log, poll, clients } = start();
    poll('a', 'c1', 'c2', 'c3', 'c4', 'c5');
    expect(clients()).toEqual(['c1', 'c2', 'c3']);
    expect(log).toHaveLength(3);
    expect(lifetimes.noticeOf('a')).toEqual({
      ...{ limit: 'source', expected: 3, actual: 5, notAdmitted: 2, evicted: 0 },
    });
    expect(lifetimes.noticeOf('b')).toBeUndefined();
  });

  it('all sources together: the limit in total applies to the source that comes last', () => {
    const { lifetimes, poll, clients } = start();
    poll('a', 'c1', 'c2', 'c3');
    poll('b', 'd1', 'd2', 'd3');
    expect(clients()).toEqual(['c1', 'c2', 'c3', 'd1', 'd2']);
    expect(lifetimes.noticeOf('a')).toBeUndefined();
    expect(lifetimes.noticeOf('b')).toEqual({
      ...{ limit: 'total', expected: 5, actual: 6, notAdmitted: 1, evicted: 0 },
    });
  });

  it('a client that another source reports counts for both sources, and once in total', () => {
    const { poll, clients, lifetimes } = start();
    poll('a', 'c1', 'c2', 'c3');
    poll('b', 'c1', 'c2', 'c3');
    expect(clients()).toEqual(['c1', 'c2', 'c3']);
    expect(lifetimes.noticeOf('b')).toBeUndefined();
  });

  it('what follows of a client that was not admitted is not logged either; the notice ends with the client', () => {
    const { lifetimes, log, observe, poll } = start();
    poll('a', 'c1', 'c2', 'c3', 'c4');
    const logged = log.length;
    observe(sampleReport({ clientId: 'c4', sourceId: 'a', changed: [sampleResource({ name: 'other' })] }));
    expect(log).toHaveLength(logged);
    poll('a', 'c1', 'c2', 'c3');
    expect(log).toHaveLength(logged);
    expect(lifetimes.noticeOf('a')).toBeUndefined();
  });

  it('clients that are no longer reported make room for new ones, the longest gone first', () => {
    const { lifetimes, poll, clients } = start();
    poll('a', 'c1', 'c2', 'c3');
    poll('a', 'c2', 'c3');
    poll('a', 'c3');
    poll('a', 'c3', 'c4');
    expect(clients()).toEqual(['c2', 'c3', 'c4']);
    expect(lifetimes.noticeOf('a')).toMatchObject({ notAdmitted: 0, evicted: 1, expected: 3, actual: 4 });
  });

  it('when there is room again, a source whose clients were not admitted reports all of its clients anew', async () => {
    const { lifetimes, poll, pass, clients, restarted, sources, known } = start();
    poll('a', 'c1', 'c2', 'c3');
    poll('b', 'd1', 'd2', 'd3');
    await pass(2 * minuteMs);
    expect(restarted).toEqual([]);
    sources.delete('a');
    await lifetimes.sourceRemoved('a', false);
    await pass(2 * minuteMs);
    expect(restarted).toEqual(['b']);
    known.delete('b');
    poll('b', 'd1', 'd2', 'd3');
    expect(clients()).toEqual(['d1', 'd2', 'd3']);
    expect(lifetimes.noticeOf('b')).toBeUndefined();
  });

  it('files and what the log already holds are not limited', () => {
    const { observe, clients } = start({ total: 1, perSource: 1 });
    for (const clientId of ['x1', 'x2', 'x3']) {
      observe({ ...sampleReport({ clientId, sourceId: 'file:1' }), vantage: 'dump' });
    }
    expect(clients()).toEqual(['x1', 'x2', 'x3']);
  });
});

describe('eviction', () => {
  it('a client that one poll alone named goes after 10 minutes, and comes back with the next report', async () => {
    const { poll, pass, clients, live } = start();
    poll('a', 'brief', 'long');
    poll('a', 'long');
    await pass(briefMs - 2 * minuteMs);
    expect(clients()).toEqual(['brief', 'long']);
    await pass(4 * minuteMs);
    expect(clients()).toEqual(['long']);
    poll('a', 'brief', 'long');
    expect(clients()).toEqual(['brief', 'long']);
    expect([...(live.world.get('brief')?.reports.get('a')?.resources.values() ?? [])]).toMatchObject([
      { name: 'brief' },
    ]);
  });

  it('what a run that was killed had evicted, or a higher limit had let in, goes at the next start', async () => {
    const first = start({ total: 20, perSource: 20 });
    first.poll('a', 'brief', 'long', 'old', 'new');
    first.poll('a', 'long', 'old', 'new');
    first.poll('a', 'long', 'new');
    first.poll('a', 'long');
    const second = start({ total: 2, perSource: 2 }, first.live.world);
    second.clock.advance(briefMs);
    await second.pass(minuteMs);
    expect(second.clients()).toEqual(['long', 'new']);
  });

  it('a client that several polls named, or that came back once, stays when it is gone', async () => {
    const { poll, pass, clients } = start();
    poll('a', 'twice', 'back');
    poll('a', 'twice');
    poll('a', 'back');
    poll('a');
    await pass(3 * briefMs);
    expect(clients()).toEqual(['back', 'twice']);
  });

  it('a client of a single stream goes, one that opened a second stream stays', async () => {
    const { clock, observe, pass, clients } = start();
    const base = { vantage: 'tap', sourceId: 'a', server: 's', method: 'm', scope: '' } as const;
    const stream = (clientId: string, streamId: string): void => {
      const { node } = sampleReport({ clientId });
      const end = { code: 'OK', details: '', hadResponse: true };
      observe({ ...base, kind: 'stream-opened', at: clock.now(), clientId, streamId, node });
      clock.advance(5_000);
      observe({ ...base, ...end, kind: 'stream-closed', at: clock.now(), clientId, streamId });
    };
    stream('once', 's1');
    stream('twice', 's2');
    stream('twice', 's3');
    await pass(2 * briefMs);
    expect(clients()).toEqual(['twice']);
  });

  it('a client that another source reports stays', async () => {
    const { poll, pass, clients } = start();
    poll('a', 'shared');
    poll('b', 'shared');
    poll('a');
    await pass(2 * briefMs);
    expect(clients()).toEqual(['shared']);
  });

  it('the clients of a removed source go, but for those that another source reports', async () => {
    const { live, lifetimes, poll, pass, clients, sources } = start();
    poll('a', 'c1', 'c2', 'shared');
    poll('b', 'shared');
    sources.delete('a');
    await lifetimes.sourceRemoved('a', false);
    await pass(minuteMs);
    expect(clients()).toEqual(['shared']);
    expect([...live.clientsOfSource('a')]).toEqual(['shared']);
  });

  it('what a removed source reported and arrives late does not bring its clients back', async () => {
    const { lifetimes, poll, clients, log, sources } = start();
    poll('a', 'c1');
    sources.delete('a');
    await lifetimes.sourceRemoved('a', false);
    const logged = log.length;
    poll('a', 'c1', 'late');
    expect(clients()).toEqual([]);
    expect(log).toHaveLength(logged);
    sources.add('a');
    poll('a', 'c1', 'late', 'new');
    expect(clients()).toEqual(['new']);
  });

  it('a target that a list no longer has keeps its clients for 10 minutes, and for good if it is back by then', async () => {
    const { lifetimes, poll, pass, clients, sources } = start();
    poll('a', 'c1');
    poll('b', 'd1');
    for (const id of ['a', 'b']) {
      sources.delete(id);
      await lifetimes.sourceRemoved(id, true);
    }
    await pass(5 * minuteMs);
    sources.add('b');
    expect(clients()).toEqual(['c1', 'd1']);
    await pass(7 * minuteMs);
    expect(clients()).toEqual(['d1']);
  });
});
