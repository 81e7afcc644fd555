import { describe, expect, it } from 'vitest';
import type { ClientConfigChanged, Observation } from '@/lib/observation/observation';
import type { StreamNotice } from '@/lib/views/stream/schema';
import { CDS } from '@/lib/xds/resource-type';
import { openLiveState } from '@/tests/support/open-live-state';
import { loadReported } from '../../support/builders/load-samples';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';

function startLive() {
  const log: Observation[] = [];
  const reported: StreamNotice[] = [];
  const live = openLiveState({
    append: ({ observation }) => log.push(observation),
    publish: (notice) => reported.push(notice),
    freshnessOf: () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }),
  });
  const observe = (observation: Observation): void => live.observe({ observation, bodies: [] });
  return { live, log, reported, observe };
}

const errorState = { details: 'no such field', versionInfo: '2', lastUpdateAttempt: null, failedHash: null };

describe('LiveState', () => {
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

  it('publishes a client that grows when its rows have doubled and when it is complete', () => {
    const { live, reported } = startLive();
    const touched: string[] = [];
    live.watch((clientId) => touched.push(clientId));
    const published: number[] = [];
    for (let rows = 1; rows <= 20; rows++) {
      reported.length = 0;
      touched.length = 0;
      const changed = [sampleResource({ name: `row ${rows}` })];
      live.observe({ observation: sampleReport({ changed }), bodies: [], hasMore: true });
      expect(touched).toEqual(reported.includes('client:c1') ? ['c1'] : []);
      expect(reported.includes('client:c1/history')).toBe(reported.includes('client:c1'));
      if (reported.includes('client:c1')) published.push(rows);
    }
    expect(published).toEqual([1, 2, 3, 5, 9, 17]);
    expect(live.isGrowing('c1')).toBe(true);
    reported.length = 0;
    touched.length = 0;
    live.complete('c1');
    expect([live.isGrowing('c1'), touched, reported.includes('client:c1')]).toEqual([false, ['c1'], true]);
  });

  it('reports all rows to watchers of rows, and another revision with each, while a client grows', () => {
    const { live } = startLive();
    const names: string[] = [];
    live.watchRows((_, keys) => names.push(...keys.map(({ name }) => name)));
    const revisions = ['a', 'b', 'c', 'd', 'e'].map((name) => {
      const changed = [sampleResource({ name })];
      live.observe({ observation: sampleReport({ changed }), bodies: [], hasMore: true });
      return live.revisionOf('c1');
    });
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(new Set(revisions).size).toBe(5);
  });

  const wholeType = sampleResource({ name: '', clientStatus: 'UNKNOWN', configStatus: 'SYNCED', hash: null });
  it.each<[what: string, news: Partial<ClientConfigChanged>]>([
    ['the version of their type', { typeVersions: [{ typeUrl: CDS.typeUrl, versionInfo: 'push/2' }] }],
    [
      'what istiod reports of their type',
      { vantage: 'istiod', sourceId: 'istiod:a', side: 'control-plane', changed: [wholeType] },
    ],
  ])('reports that rows changed when %s did', (_, news) => {
    const { reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a', versionInfo: '' })] }));
    reported.length = 0;
    observe(sampleReport(news));
    expect(reported).toContain('client:c1');
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

  it.each<[what: string, news: Observation, notices: readonly StreamNotice[]]>([
    ['a changed row', sampleReport({ changed: [sampleResource()] }), ['fleet', 'client:c1']],
    [
      'a removed row',
      sampleReport({ removed: [{ typeUrl: CDS.typeUrl, name: 'a' }] }),
      ['fleet', 'client:c1'],
    ],
    ['a report without rows', sampleReport(), ['fleet', 'client:c1/detail']],
  ])('publishes that %s changes the fleet, the client and the log', (_, news, notices) => {
    const { reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ name: 'a' })] }));
    reported.length = 0;
    observe(news);
    expect(reported).toEqual([...notices, 'history', 'client:c1/history']);
  });

  it('publishes that a load report arrived, apart from the rows of its client', () => {
    const { reported, observe } = startLive();
    observe(sampleReport({ clientId: 'web' }));
    reported.length = 0;
    observe(loadReported(1, [], { clientId: 'web' }));
    expect(reported.filter((notice) => !notice.includes('history'))).toEqual([
      ...['fleet', 'client:web/detail', 'load', 'client:web/load'],
    ]);
  });

  it('publishes that there is an event, and has it', () => {
    const { live, reported, observe } = startLive();
    observe(sampleReport({ changed: [sampleResource({ clientStatus: 'NACKED', errorState })] }));
    expect(reported[0]).toBe('fleet/events');
    expect(live.events).toMatchObject([{ status: 'NACKED', text: 'CDS cart NACKED: no such field' }]);
  });

  it('publishes that a client was evicted', () => {
    const { live, reported, observe } = startLive();
    observe(sampleReport());
    reported.length = 0;
    live.forgetClient('c1');
    expect(reported).toEqual(['fleet', 'client:c1']);
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
