import { describe, expect, it } from 'vitest';
import type { ClientConfigChanged, Observation } from '@/lib/observation/observation';
import type { StreamChange, StreamTopic } from '@/lib/views/stream/schema';
import { CDS } from '@/lib/xds/resource-type';
import { openLiveState } from '@/tests/support/open-live-state';
import { loadReported } from '../../support/builders/load-samples';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';

/** A live state whose time stands still: flush() reports what was gathered. */
function startLive(hasSubscriber: (topic: StreamTopic) => boolean = () => true) {
  const log: Observation[] = [];
  const reported: StreamChange[] = [];
  const live = openLiveState({
    append: ({ observation }) => log.push(observation),
    publish: (change) => reported.push(change),
    hasSubscriber,
    freshnessOf: () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }),
  });
  const observe = (observation: Observation): void => live.observe({ observation, bodies: [] });
  return { live, log, reported, observe };
}

const errorState = { details: 'no such field', versionInfo: '2', lastUpdateAttempt: null, failedHash: null };

describe('LiveState', () => {
  it('reports a burst of changes of one client as one summary and its changed rows', () => {
    const { live, reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    observe(sampleReport({ changed: [sampleResource({ name: 'b' })] }));
    observe(sampleReport({ changed: [sampleResource({ name: 'a', versionInfo: '2' })] }));
    live.flush();
    expect(reported.map((change) => change.type)).toEqual([
      'fleet',
      'client',
      'resources',
      'history',
      'history',
    ]);
    expect(reported[2]).toMatchObject({
      changed: [
        { name: 'a', versionInfo: '2' },
        { name: 'b', versionInfo: '1' },
      ],
      removed: [],
    });
  });

  it('shows a preview, which is neither in the log nor a part of the state after the observations', () => {
    const whole = [
      sampleReport({ at: 5_000, changed: [sampleResource({ name: 'a', changedAt: 5_000 })] }),
      sampleReport({ at: 5_000, changed: [sampleResource({ name: 'b', changedAt: 5_000 })] }),
    ];
    const { live, log, observe } = startLive();
    live.preview(sampleReport({ at: 1_000, changed: [sampleResource({ name: 'b', changedAt: 1_000 })] }));
    expect(live.summaryOf([...live.world.values()][0] ?? expect.fail('expected a client')).resources).toBe(1);
    expect(log).toEqual([]);
    whole.forEach(observe);
    expect(log).toEqual(whole);
    const direct = startLive();
    whole.forEach(direct.observe);
    expect(live.world).toEqual(direct.live.world);
  });

  it('reports many changed rows only that they changed', () => {
    const { live, reported, observe } = startLive();
    const changed = Array.from({ length: 1_001 }, (_, index) => sampleResource({ name: `c${index}` }));
    observe(sampleReport({ changed }));
    live.flush();
    expect(reported).toMatchObject([
      { type: 'fleet' },
      { type: 'client', client: { resources: 1_001 } },
      { type: 'resources-renewed', clientId: 'c1' },
      { type: 'history', clientId: 'c1' },
      { type: 'history', clientId: null },
    ]);
  });

  const wholeType = sampleResource({ name: '', clientStatus: 'UNKNOWN', configStatus: 'SYNCED', hash: null });
  it.each<[what: string, news: Partial<ClientConfigChanged>]>([
    ['the version of their type', { typeVersions: [{ typeUrl: CDS.typeUrl, versionInfo: 'push/2' }] }],
    [
      'what istiod reports of their type',
      { vantage: 'istiod', sourceId: 'istiod:a', side: 'control-plane', changed: [wholeType] },
    ],
  ])('reports that rows changed when %s did', (_, news) => {
    const { live, reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a', versionInfo: '' })] }));
    live.flush();
    reported.length = 0;
    const revision = live.revisionOf('c1');
    live.changedSince('c1', revision);
    observe(sampleReport(news));
    expect(live.changedSince('c1', revision)).toBeUndefined();
    live.flush();
    expect(reported.map(({ type }) => type)).toContain('resources-renewed');
  });

  it('logs with which version the content of a polled resource came', () => {
    const { log, observe } = startLive();
    const rowOf = (versionInfo: string, hash: string) => {
      observe(sampleReport({ changed: [sampleResource({ name: 'a', versionInfo, hash })] }));
      const last = log.at(-1);
      return last?.kind === 'client-config-changed' ? last.changed[0]?.contentVersion : 'no report';
    };
    const [one, other] = ['1'.repeat(64), '2'.repeat(64)];
    const versions = [
      rowOf('1', one),
      rowOf('2', one),
      rowOf('3', one),
      rowOf('4', other),
      rowOf('5', other),
    ];
    expect(versions).toEqual([undefined, '1', '1', undefined, '4']);
  });

  it("publishes that a load report arrived, with the client on that client's topic", () => {
    const { reported, observe } = startLive((topic) => topic === 'client:web');
    observe(loadReported(1, [], { clientId: 'web' }));
    observe(loadReported(1, [], { clientId: 'mobile' }));
    expect(reported).toEqual([
      { type: 'load', clientId: null },
      { type: 'load', clientId: 'web' },
      { type: 'load', clientId: null },
    ]);
  });

  it('builds no rows without a subscriber: a later subscriber reads them', () => {
    const { live, reported, observe } = startLive((topic) => topic === 'client:c2');
    for (const clientId of ['c1', 'c2']) {
      observe(sampleReport({ clientId, changed: [sampleResource({ name: 'a' })] }));
    }
    live.flush();
    expect(reported.filter(({ type }) => type.startsWith('resources'))).toMatchObject([
      { type: 'resources-renewed', clientId: 'c1' },
      { type: 'resources', clientId: 'c2', changed: [{ name: 'a' }] },
    ]);
  });

  it('publishes removed rows', () => {
    const { live, reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    live.flush();
    observe(sampleReport({ removed: [{ typeUrl: CDS.typeUrl, name: 'a' }] }));
    live.flush();
    expect(reported.filter(({ type }) => type === 'resources').at(-1)).toMatchObject({
      changed: [],
      removed: [{ name: 'a' }],
    });
  });

  it('reports how far the log has grown, of each client and of all, once for a burst', () => {
    const { live, reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    observe(sampleReport({ changed: [sampleResource({ name: 'b' })] }));
    live.flush();
    const growth = () => reported.filter(({ type }) => type === 'history');
    expect(growth()).toMatchObject([
      { clientId: expect.stringMatching(/./), newestSeq: live.seq },
      { clientId: null, newestSeq: live.seq },
    ]);
    live.flush();
    expect(growth()).toHaveLength(2);
  });

  it('reports a rejection as an event at once', () => {
    const { reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ clientStatus: 'NACKED', errorState })] }));
    expect(reported).toMatchObject([
      { type: 'event', event: { status: 'NACKED', text: 'CDS cart NACKED: no such field' } },
    ]);
  });

  it('logs the first complete report of a source as the difference to the log', () => {
    const { log, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' }), sampleResource({ name: 'b' })] }));
    const restarted = startLive();
    restarted.live.world.clear();
    for (const [id, client] of worldOf(log)) restarted.live.world.set(id, client);
    restarted.observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    expect(restarted.log).toMatchObject([{ changed: [], removed: [{ name: 'b' }] }]);
    restarted.observe(sampleReport({ changed: [sampleResource({ name: 'a', versionInfo: '2' })] }));
    expect(restarted.log.at(-1)).toMatchObject({ changed: [{ name: 'a' }], removed: [] });
  });

  it('logs only the differences of a client that is reported again after it was gone', () => {
    const { live, log, observe } = startLive();
    const names = (...all: string[]) => all.map((name) => sampleResource({ name }));
    observe(sampleReport({ changed: names('a', 'b') }));
    const gone = { vantage: 'csds', sourceId: 'csds:a:1', clientId: 'c1', side: 'client' } as const;
    observe({ ...gone, kind: 'client-gone', at: 3_000, reason: 'not named' });
    observe(sampleReport({ changed: names('b', 'c') }));
    expect(log.at(-1)).toMatchObject({ changed: [{ name: 'c' }], removed: [{ name: 'a' }] });
    expect(live.world.get('c1')?.reports.get('csds:a:1')?.resources.size).toBe(2);
  });

  it('a client that is evicted and reported again is complete, and has another revision', () => {
    const { live, log, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    const before = live.revisionOf('c1');
    live.forgetClient('c1');
    expect(live.revisionOf('c1')).toBe(0);
    observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    expect(log.at(-1)).toMatchObject({ changed: [{ name: 'a' }] });
    expect(live.revisionOf('c1')).toBeGreaterThan(before);
  });

  it('treats a source that was removed and added again like one that just started', () => {
    const { live, log, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' }), sampleResource({ name: 'b' })] }));
    live.forgetSource('csds:a:1');
    observe(sampleReport({ changed: [sampleResource({ name: 'b' })] }));
    expect(log.at(-1)).toMatchObject({ changed: [], removed: [{ name: 'a' }] });
  });
});

function worldOf(log: readonly Observation[]) {
  const { live, observe } = startLive();
  for (const observation of log) observe(observation);
  return live.world;
}
