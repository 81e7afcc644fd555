import { describe, expect, it } from 'vitest';
import { endedReportsKept, foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import {
  numbered,
  sampleConnection,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../support/builders/observation-samples';

function fold(observations: readonly Observation[]): World {
  const world: World = new Map();
  for (const observation of numbered(observations)) foldObservation(world, observation);
  return world;
}

const ads = { vantage: 'probe', sourceId: 'ads:a:1', clientId: 'p1', streamId: 's1' } as const;
const opened = {
  ...ads,
  kind: 'stream-opened',
  at: 1,
  server: 'a:1',
  method: 'StreamAggregatedResources',
  node: sampleNode('probe'),
  scope: 'a:1',
} as const;

describe('foldObservation()', () => {
  it('keeps rows that a report does not name, replaces those that it names, and drops those that it removes', () => {
    const world = fold([
      sampleReport({ changed: [sampleResource({ name: 'a' }), sampleResource({ name: 'b' })] }),
      sampleReport({
        changed: [sampleResource({ name: 'a', versionInfo: '2' })],
        removed: [{ typeUrl: CDS.typeUrl, name: 'b' }],
      }),
      sampleReport({ changed: [sampleResource({ name: 'c' })] }),
    ]);
    const rows = [...(world.get('c1')?.reports.get('csds:a:1')?.resources.values() ?? [])];
    expect(rows.map((row) => `${row.name}@${row.versionInfo}`)).toEqual(['a@2', 'c@1']);
  });

  it('keeps the reports of two sources on one client apart', () => {
    const world = fold([
      sampleReport({ changed: [sampleResource()] }),
      sampleReport({
        sourceId: 'csds:cp:1',
        side: 'control-plane',
        changed: [sampleResource({ clientStatus: 'UNKNOWN', configStatus: 'SYNCED' })],
      }),
    ]);
    const reports = world.get('c1')?.reports;
    expect([...(reports?.values() ?? [])].map((r) => [...r.resources.values()][0]?.configStatus)).toEqual([
      'UNKNOWN',
      'SYNCED',
    ]);
  });

  it('takes the scope of a client from CSDS, whichever source reports it first', () => {
    const stream = { ...opened, vantage: 'tap', sourceId: 'tap:a:1', clientId: 'c1', scope: 'cart' } as const;
    const csds = sampleReport({ scope: 'xds:///cart' });
    for (const observations of [
      [stream, csds],
      [csds, stream],
    ])
      expect(fold(observations).get('c1')?.scope).toBe('xds:///cart');
  });

  it('keeps the node of a proxy rather than the one in reports of istiod', () => {
    const proxy = sampleReport({
      vantage: 'envoy-admin',
      sourceId: 'envoy-admin:a:1',
      node: sampleNode('sidecar~'),
    });
    const node = { ...sampleNode('cart-1.shop'), metadata: { CLUSTER_ID: 'Kubernetes' } };
    const istiod = sampleReport({ vantage: 'istiod', sourceId: 'istiod:a:1', side: 'control-plane', node });
    for (const observations of [
      [proxy, istiod],
      [istiod, proxy],
    ])
      expect(fold(observations).get('c1')?.node.id).toBe('sidecar~');
  });

  it('keeps the node that one control plane reports in full, rather than a part that another one adds metadata to', () => {
    const csds = sampleReport({ sourceId: 'csds:server:1', side: 'control-plane', node: sampleNode('web') });
    const stream = { ...opened, vantage: 'tap', sourceId: 'tap:a:1', node: sampleNode('web') } as const;
    const part = {
      ...sampleNode('web'),
      cluster: '',
      locality: null,
      userAgentName: '',
      userAgentVersion: '',
    };
    const node = { ...part, metadata: { CLUSTER_ID: 'Kubernetes' } };
    const istiod = sampleReport({ vantage: 'istiod', sourceId: 'istiod:a:1', side: 'control-plane', node });
    for (const observations of [
      [csds, stream, istiod],
      [istiod, csds],
      [csds, istiod],
    ])
      expect(fold(observations).get('c1')?.node.userAgentName).toBe('gRPC Node');
  });

  it('keeps the newest of many ended reports, and all that have not ended', () => {
    const ended = Array.from({ length: endedReportsKept + 5 }, (_, index) => {
      const report = sampleReport({ sourceId: `csds:ended:${index}`, changed: [sampleResource()] });
      return [report, { ...report, kind: 'client-gone', at: 10_000 + index, reason: 'gone' } as const];
    });
    const standing = Array.from({ length: 50 }, (_, index) => sampleReport({ sourceId: `csds:b:${index}` }));
    const world = fold([...ended.flat(), ...standing]);
    const sources = [...(world.get('c1')?.reports.keys() ?? [])];
    expect(sources.filter((id) => id.startsWith('csds:b:'))).toHaveLength(50);
    const left = sources.filter((id) => id.startsWith('csds:ended:'));
    expect(left).toHaveLength(endedReportsKept);
    expect(left[0]).toBe('csds:ended:5');
  });

  it('marks a client as gone when its source no longer reports it, and keeps its resources', () => {
    const world = fold([
      sampleReport({ changed: [sampleResource()] }),
      { ...sampleReport(), kind: 'client-gone', at: 3_000, reason: 'not named any more' },
    ]);
    const report = world.get('c1')?.reports.get('csds:a:1');
    expect(report).toMatchObject({ goneAt: 3_000, goneReason: 'not named any more' });
    expect(report?.resources.size).toBe(1);
  });

  it('clears the end of a client with its next report', () => {
    const world = fold([
      sampleReport({ changed: [sampleResource()] }),
      { ...sampleReport(), kind: 'client-gone', at: 3_000, reason: 'gone' },
      sampleReport({ at: 4_000 }),
    ]);
    expect(world.get('c1')?.reports.get('csds:a:1')?.goneAt).toBeNull();
  });

  it('drops the resources of an earlier probe process when the new one starts with an empty cache', () => {
    const acked = {
      ...ads,
      kind: 'ack-sent',
      at: 2,
      typeUrl: CDS.typeUrl,
      versionInfo: '1',
      nonce: 'n',
      changed: [sampleResource()],
      removed: [],
    } as const;
    const kept = fold([opened, acked, { ...opened, at: 3 }]);
    expect(kept.get('p1')?.reports.get('ads:a:1')?.resources.size).toBe(1);
    const restarted = fold([opened, acked, { ...opened, at: 3, cacheEmpty: true }]);
    expect(restarted.get('p1')?.reports.get('ads:a:1')?.resources.size).toBe(0);
  });

  it('keeps a client of several streams until the last of them has closed', () => {
    const closed = { ...ads, kind: 'stream-closed', code: 'OK', details: '', hadResponse: true } as const;
    const other = { ...opened, at: 2, streamId: 's2' };
    const one = fold([opened, other, { ...closed, at: 3, othersOpen: 1 }]);
    expect(one.get('p1')?.reports.get('ads:a:1')?.goneAt).toBeNull();
    const none = fold([opened, other, { ...closed, at: 3, othersOpen: 1 }, { ...closed, at: 4 }]);
    expect(none.get('p1')?.reports.get('ads:a:1')?.goneAt).toBe(4);
  });

  it('applies cache changes without a message, and ignores server switches', () => {
    const changed = [sampleResource({ name: 'a' })];
    const silent = { ...ads, kind: 'cache-changed', at: 2, reason: 'lost', changed, removed: [] } as const;
    const switched = {
      ...ads,
      kind: 'server-switched',
      at: 3,
      authority: null,
      from: 'a:1',
      to: 'b:1',
      direction: 'fallback',
      reason: 'lost',
    } as const;
    const report = fold([opened, silent, switched]).get('p1')?.reports.get('ads:a:1');
    expect([...(report?.resources.values() ?? [])]).toEqual(changed);
    expect(report?.goneAt).toBeNull();
  });

  it('returns the rows that changed', () => {
    const world: World = new Map();
    const [first] = numbered([sampleReport({ changed: [sampleResource({ name: 'a' })] })]);
    if (first === undefined) throw new Error('no observation');
    expect(foldObservation(world, first)).toMatchObject({
      clientId: 'c1',
      changes: { changed: [{ name: 'a' }], removed: [] },
    });
  });

  it('does not let a stream of load reports replace the node that CSDS reported in full', () => {
    const load = {
      ...({ at: 5, vantage: 'lrs', sourceId: 'lrs:x', clientId: 'c1' } as const),
      ...{ node: sampleNode('web'), scope: '', streamId: 's' },
    };
    const world = fold([
      sampleReport({ node: { ...sampleNode('web'), metadata: { app: 'shop' } } }),
      { kind: 'stream-opened', method: 'StreamLoadStats', server: 'x', ...load },
      { kind: 'load-reported', clusters: [], ...load },
    ]);
    expect(world.get('c1')?.node.metadata).toEqual({ app: 'shop' });
  });

  it('keeps the connections of a client: those that changed replace earlier ones, and the others stay', () => {
    const base = {
      vantage: 'channelz',
      sourceId: 'channelz:a:1',
      clientId: 'c1',
      node: sampleNode('web'),
    } as const;
    const one = { ...sampleConnection, id: 'subchannel 1', target: '10.0.0.1:80' };
    const two = { ...sampleConnection, id: 'subchannel 2', target: '10.0.0.2:80' };
    const changed = { ...base, kind: 'connections-changed', scope: 'xds:///shop' } as const;
    const world = fold([
      { ...changed, at: 1, connections: [one, two], endedIds: [], isComplete: true },
      { ...changed, at: 2, connections: [{ ...two, state: 'IDLE', since: 2 }], endedIds: [] },
    ]);
    const report = () => world.get('c1')?.reports.get('channelz:a:1');
    expect(world.get('c1')?.scope).toBe('xds:///shop');
    expect(report()?.connections).toEqual([one, { ...two, state: 'IDLE', since: 2 }]);
    const [ended] = numbered([{ ...changed, at: 3, connections: [], endedIds: [one.id] }]);
    if (ended === undefined) throw new Error('no observation');
    foldObservation(world, ended);
    expect(report()?.connections?.map(({ id }) => id)).toEqual([two.id]);
  });

  it('keeps when a state began if a poller that was restarted does not know it', () => {
    const base = {
      vantage: 'channelz',
      sourceId: 'channelz:a:1',
      clientId: 'c1',
      node: sampleNode('web'),
    } as const;
    const all = { ...base, kind: 'connections-changed', scope: '', endedIds: [], isComplete: true } as const;
    const again = { ...sampleConnection, since: 9, isSinceFirstPoll: true } as const;
    const other = { ...again, state: 'IDLE' } as const;
    const connectionsOf = (world: World) => world.get('c1')?.reports.get('channelz:a:1')?.connections;
    const first = { ...all, at: 1, connections: [sampleConnection] };
    expect(connectionsOf(fold([first, { ...all, at: 9, connections: [again] }]))).toEqual([sampleConnection]);
    expect(connectionsOf(fold([first, { ...all, at: 9, connections: [other] }]))).toEqual([other]);
  });
});
