import { describe, expect, it } from 'vitest';
import { findIssueAt } from '@/lib/issues/issue-at';
import { IssueIndex, type IssueIndexOptions } from '@/lib/issues/issue-index';
import { removeExplained } from '@/lib/issues/remove-explained';
import { inferredText } from '@/lib/nacks/error-text';
import type { Connection } from '@/lib/observation/connection';
import type { AckSent, ConnectionsChanged, NackSent, Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, LDS } from '@/lib/xds/resource-type';
import {
  numbered,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../support/builders/observation-samples';

const error = { details: 'lb_policy is bad', versionInfo: '2', lastUpdateAttempt: null, failedHash: null };

function nacked(over: Partial<ResourceState> = {}): ResourceState {
  return sampleResource({ clientStatus: 'NACKED', errorState: error, ...over });
}

function absent(over: Partial<ResourceState> = {}): ResourceState {
  return sampleResource({
    typeUrl: LDS.typeUrl,
    name: 'shop',
    clientStatus: 'DOES_NOT_EXIST',
    versionInfo: '',
    hash: null,
    ...over,
  });
}

const ofTap = { vantage: 'tap', sourceId: 'tap', clientId: 'c1', streamId: 's', removed: [] } as const;

function nack(at: number, over: Partial<NackSent> = {}): NackSent {
  return {
    ...ofTap,
    ...{ kind: 'nack-sent', at, typeUrl: CDS.typeUrl, versionInfo: '1', rejectedVersion: '2', nonce: 'n' },
    ...{ errorDetail: error.details, changed: [nacked()] },
    ...over,
  };
}

function ack(at: number, changed: readonly ResourceState[]): AckSent {
  return { ...ofTap, kind: 'ack-sent', at, typeUrl: LDS.typeUrl, versionInfo: '186', nonce: 'n', changed };
}

function fold(observations: readonly Observation[], options: Partial<IssueIndexOptions> = {}): IssueIndex {
  const index = new IssueIndex({ idOf: (key) => key, ...options });
  for (const observation of numbered(observations)) index.fold(observation);
  return index;
}

/** Returns each issue at the moment, such as "nack cart 2000..open c1". */
function issuesAt(index: IssueIndex, at: number): string[] {
  const found = [...index.records.values()].flatMap((record) => findIssueAt(record, at) ?? []);
  return removeExplained(found, at).map(({ record, since, resolvedAt, periods }) => {
    const clients = periods.map(({ clientId }) => clientId).join(' ');
    return `${record.cause.kind} ${record.cause.name} ${since}..${resolvedAt ?? 'open'} ${clients}`;
  });
}

describe('IssueIndex', () => {
  it('begins with the first report of any source, and ends when no source reports it', () => {
    const index = fold([
      nack(3_000),
      sampleReport({ at: 4_000, changed: [nacked()] }),
      { ...ack(8_000, [sampleResource()]), typeUrl: CDS.typeUrl },
      sampleReport({ at: 9_000, changed: [sampleResource()] }),
    ]);
    expect(issuesAt(index, 2_999)).toEqual([]);
    expect(issuesAt(index, 3_500)).toEqual(['nack cart 3000..open c1']);
    expect(issuesAt(index, 8_500)).toEqual(['nack cart 3000..open c1']);
    expect(issuesAt(index, 9_000)).toEqual(['nack cart 3000..9000 c1']);
  });

  it('has the time that the client reports for a rejection which a poll finds later', () => {
    const changed = [nacked({ errorState: { ...error, lastUpdateAttempt: 3_200 } })];
    expect(issuesAt(fold([sampleReport({ at: 5_000, changed })]), 6_000)).toEqual([
      'nack cart 3200..open c1',
    ]);
    const inFuture = [nacked({ errorState: { ...error, lastUpdateAttempt: 9_000 } })];
    expect(issuesAt(fold([sampleReport({ at: 5_000, changed: inFuture })]), 6_000)).toEqual([
      'nack cart 5000..open c1',
    ]);
  });

  it('keeps the onset when the payload is rejected again, and begins anew after it was accepted', () => {
    const again = fold([nack(3_000), nack(5_000), nack(7_000)]);
    expect(issuesAt(again, 8_000)).toEqual(['nack cart 3000..open c1']);
    const accepted = fold([
      nack(3_000),
      { ...ack(4_000, [sampleResource()]), typeUrl: CDS.typeUrl },
      nack(5_000),
    ]);
    expect(issuesAt(accepted, 8_000)).toEqual(['nack cart 5000..open c1']);
    expect(issuesAt(accepted, 3_500), 'the past').toEqual(['nack cart 3000..open c1']);
  });

  it('is one issue for equal causes of several clients, since the first of them', () => {
    const index = fold([
      sampleReport({ at: 2_000, changed: [absent()] }),
      sampleReport({ at: 3_000, clientId: 'c2', changed: [absent()] }),
      sampleReport({ at: 4_000, changed: [absent({ clientStatus: 'ACKED', hash: 'aa' })] }),
    ]);
    expect(issuesAt(index, 3_500)).toEqual(['absent shop 2000..open c1 c2']);
    expect(issuesAt(index, 5_000)).toEqual(['absent shop 2000..open c2']);
  });

  it('knows the response after which a resource did not exist', () => {
    const [record] = fold([ack(3_000, [absent()])]).records.values();
    expect(record?.open.get('c1')).toMatchObject({ versionInfo: '186', fromSeq: 1, keepsAccepted: false });
  });

  describe('of a channel to the management server', () => {
    const channel: Connection = {
      ...{
        id: 'channel 2',
        kind: 'channel',
        target: 'dns:///xds:18000',
        channels: [],
        isManagementServer: true,
      },
      ...{ state: 'TRANSIENT_FAILURE', since: 2_000, failingSince: 2_000, lastError: 'no route to host' },
    };
    const { failingSince: _, lastError: __, ...rest } = channel;
    const ready: Connection = { ...rest, state: 'READY' };
    const changed = (at: number, over: Partial<ConnectionsChanged> = {}): ConnectionsChanged => ({
      ...{ kind: 'connections-changed', at, vantage: 'channelz', sourceId: 'channelz', clientId: 'c1' },
      ...{ node: sampleNode('web'), scope: '', connections: [channel], endedIds: [], ...over },
    });
    const requested = sampleResource({ clientStatus: 'REQUESTED', versionInfo: '', hash: null });

    it('begins with the failure, counts after 15 s, and ends when the channel is READY', () => {
      const index = fold([changed(3_000), changed(40_000, { connections: [ready] })]);
      expect(issuesAt(index, 16_999)).toEqual([]);
      expect(issuesAt(index, 17_000)).toEqual(['unreachable xds:18000 2000..open c1']);
      expect(issuesAt(index, 40_000)).toEqual(['unreachable xds:18000 2000..40000 c1']);
    });

    it('ends with the channel, also if a new process reports all of its channels', () => {
      const ended = fold([changed(3_000), changed(40_000, { connections: [], endedIds: ['channel 2'] })]);
      expect(issuesAt(ended, 50_000)).toEqual(['unreachable xds:18000 2000..40000 c1']);
      const other = { ...ready, id: 'channel 9' };
      const replaced = fold([changed(3_000), changed(40_000, { connections: [other], isComplete: true })]);
      expect(issuesAt(replaced, 50_000)).toEqual(['unreachable xds:18000 2000..40000 c1']);
    });

    it('explains the missing response, and has the newest error', () => {
      const timeout = changed(9_000, { connections: [{ ...channel, lastError: 'timed out' }] });
      const index = fold([sampleReport({ at: 1_000, changed: [requested] }), changed(3_000), timeout]);
      expect(issuesAt(index, 30_000)).toEqual(['unreachable xds:18000 2000..open c1']);
      expect([...index.records.values()].map(({ cause }) => cause.text)).toContain('timed out');
    });

    it('is possible of one of several channels that fails, until it is known which leads to the server', () => {
      const { isManagementServer: ___, ...unmarked } = channel;
      const possible = { ...unmarked, mayBeManagementServer: true } as const;
      const collector = { ...possible, id: 'channel 4', target: 'dns:///collector:4317' };
      const rulesAt = (index: IssueIndex, at: number) =>
        removeExplained(
          [...index.records.values()].flatMap((record) => findIssueAt(record, at) ?? []),
          at,
        )
          .filter(({ resolvedAt }) => resolvedAt === undefined)
          .map(({ record: { cause } }) => `${cause.name} ${cause.rule ?? 'certain'}`);
      const observed = [changed(3_000, { connections: [possible, collector] })];
      expect(rulesAt(fold(observed), 30_000)).toEqual([
        'xds:18000 possible-server',
        'collector:4317 possible-server',
      ]);
      const { mayBeManagementServer: ____, ...other } = collector;
      const known = fold([...observed, changed(20_000, { connections: [channel, other] })]);
      expect(rulesAt(known, 40_000)).toEqual(['xds:18000 certain']);
      const first = fold([sampleReport({ at: 1_000, changed: [requested] }), ...observed]);
      expect(issuesAt(first, 30_000)).toEqual(['unreached  1000..open c1']);
    });

    it('is none of a channel that need not lead to a management server', () => {
      const { isManagementServer: ___, ...unmarked } = channel;
      expect(issuesAt(fold([changed(3_000, { connections: [unmarked] })]), 30_000)).toEqual([]);
    });
  });

  describe('of resources without a response', () => {
    const requested = sampleResource({ clientStatus: 'REQUESTED', versionInfo: '', hash: null });

    it('begins with the request, and ends with the first response', () => {
      const index = fold([
        sampleReport({ at: 2_000, changed: [requested] }),
        sampleReport({ at: 40_000, changed: [sampleResource()] }),
      ]);
      expect(issuesAt(index, 16_999)).toEqual([]);
      expect(issuesAt(index, 17_000)).toEqual(['unreached  2000..open c1']);
      expect(issuesAt(index, 40_000)).toEqual(['unreached  2000..40000 c1']);
    });

    it('keeps nothing of clients that start', () => {
      const index = fold([
        sampleReport({ at: 2_000, changed: [requested] }),
        sampleReport({ at: 3_000, changed: [sampleResource()] }),
      ]);
      expect(index.records.size).toBe(0);
    });

    it('is none of a collection, of a snapshot, or of a resource that has a payload', () => {
      const collection = { ...requested, name: 'xdstp://a/envoy.config.cluster.v3.Cluster/shop/*' };
      expect(issuesAt(fold([sampleReport({ changed: [collection] })]), 50_000)).toEqual([]);
      const held = { ...requested, hash: 'aa' };
      expect(issuesAt(fold([sampleReport({ changed: [held] })]), 50_000)).toEqual([]);
      const snapshot = sampleReport({ vantage: 'dump', changed: [requested] });
      expect(issuesAt(fold([snapshot]), 50_000)).toEqual([]);
      const recorded = { ...snapshot, originalVantage: 'csds' } as const;
      expect(issuesAt(fold([recorded]), 50_000)).toEqual(['unreached  2000..open c1']);
    });
  });

  it('is one issue for clients that reach no management server, from the first report to the first response', () => {
    const unreached = sampleResource({ clientStatus: 'UNKNOWN', versionInfo: '', hash: null });
    const index = fold([
      sampleReport({ at: 2_000, changed: [unreached, { ...unreached, name: 'shop' }] }),
      sampleReport({ at: 3_000, clientId: 'c2', changed: [unreached] }),
      sampleReport({ at: 40_000, changed: [sampleResource(), sampleResource({ name: 'shop' })] }),
    ]);
    expect(issuesAt(index, 16_999), 'a client that starts').toEqual([]);
    expect(issuesAt(index, 17_000)).toEqual(['unreached  2000..open c1 c2']);
    expect(issuesAt(index, 50_000)).toEqual(['unreached  2000..open c2']);
  });

  it('is an issue at once if a document reports it, and not if a recording does', () => {
    const stale = sampleResource({ clientStatus: 'UNKNOWN', configStatus: 'STALE' });
    const report = { at: 2_000, vantage: 'dump', side: 'control-plane', changed: [stale] } as const;
    expect(issuesAt(fold([sampleReport(report)]), 2_000)).toEqual(['unanswered  2000..open c1']);
    expect(issuesAt(fold([sampleReport({ ...report, originalVantage: 'csds' })]), 2_000)).toEqual([]);
  });

  it('ends with a client that no source reports, and continues when the source reports it again', () => {
    const gone: Observation = {
      ...{ kind: 'client-gone', at: 4_000, vantage: 'csds', sourceId: 'csds:a:1', clientId: 'c1' },
      ...{ side: 'client', reason: 'not listed' },
    };
    const begun = sampleReport({ at: 2_000, changed: [absent()] });
    expect(issuesAt(fold([begun, gone]), 5_000)).toEqual(['absent shop 2000..4000 c1']);
    const returned = fold([begun, gone, sampleReport({ at: 6_000 })]);
    expect(issuesAt(returned, 7_000)).toEqual(['absent shop 2000..open c1']);
    expect(issuesAt(fold([begun, nack(3_000, { changed: [] }), gone]), 5_000)).toContain(
      'nack  3000..open c1',
    );
  });

  it('ends what a process had that starts again with an empty cache', () => {
    const opened: Observation = {
      ...{ kind: 'stream-opened', at: 5_000, vantage: 'tap', sourceId: 'tap', clientId: 'c1', streamId: 't' },
      ...{ server: 's', method: 'm', node: sampleNode('web'), scope: '', cacheEmpty: true },
    };
    expect(issuesAt(fold([nack(3_000), opened]), 6_000)).toEqual(['nack cart 3000..5000 c1']);
  });

  it('ends with the resource', () => {
    const key = { typeUrl: LDS.typeUrl, name: 'shop' };
    const index = fold([
      sampleReport({ at: 2_000, changed: [absent()] }),
      sampleReport({ at: 3_000, removed: [key] }),
    ]);
    expect(issuesAt(index, 4_000)).toEqual(['absent shop 2000..3000 c1']);
    expect([...index.records.values()][0]?.ended[0]?.end).toBe('removed');
  });

  it('does not end with an ACK of the payload that was rejected', () => {
    const rejected = nacked({ errorState: { ...error, failedHash: 'bb' } });
    const skipped = sampleResource({ hash: 'bb', errorState: { ...error, failedHash: 'bb' } });
    const index = fold([
      nack(3_000, { changed: [rejected] }),
      { ...ack(4_000, [skipped]), typeUrl: CDS.typeUrl },
    ]);
    expect(issuesAt(index, 5_000)).toEqual(['nack cart 3000..open c1']);
  });

  describe('control planes', () => {
    const plane = { side: 'control-plane', sourceId: 'plane', vantage: 'csds' } as const;
    const stale = sampleResource({ clientStatus: 'UNKNOWN', configStatus: 'STALE' });

    it('wait for answers only after some seconds, for one issue per type', () => {
      const changed = [stale, { ...stale, name: 'shop' }];
      const index = fold([sampleReport({ ...plane, at: 2_000, changed })]);
      expect(issuesAt(index, 10_000)).toEqual([]);
      expect(issuesAt(index, 20_000)).toEqual(['unanswered  2000..open c1']);
      expect([...index.records.values()][0]?.open.get('c1')?.resources).toBe(2);
    });

    it('report nothing new about a type that the client rejects', () => {
      const inError = sampleResource({ configStatus: 'ERROR', errorState: error, name: 'cart' });
      const index = fold([
        nack(2_000),
        sampleReport({
          ...plane,
          at: 2_100,
          changed: [inError, { ...inError, name: 'other' }, { ...stale, name: 'x' }],
        }),
      ]);
      expect(issuesAt(index, 30_000)).toEqual(['nack cart 2000..open c1']);
    });
  });

  it('is bounded, and states since when it is complete', () => {
    const flapping = [...Array(50).keys()].flatMap((n) => [
      sampleReport({ at: n * 10 + 1, changed: [absent()] }),
      sampleReport({ at: n * 10 + 5, removed: [{ typeUrl: LDS.typeUrl, name: 'shop' }] }),
    ]);
    const index = fold(flapping, { maxEnded: 10 });
    expect([...index.records.values()].flatMap(({ ended }) => ended)).toHaveLength(10);
    expect(index.dropped).toBe(40);
    expect(index.completeSince).toBe(395);
  });
});

describe('a NACK that several sources report, some of them without the text of the client', () => {
  const textless = nacked({ errorState: { ...error, details: '' } });
  const inferred = `${inferredText}the poll has no error_detail`;
  const ofAdmin = { vantage: 'envoy-admin', sourceId: 'admin', clientId: 'c1', side: 'client' } as const;
  const admin = (at: number, row: ResourceState) => sampleReport({ ...ofAdmin, at, changed: [row] });
  const textsOf = (index: IssueIndex) => [...index.records.values()].map(({ cause }) => cause.text);

  it.each([
    ['the text comes first', [nack(1), admin(2, textless)]],
    ['the text comes later', [admin(1, textless), nack(2)]],
    [
      'the text replaces an inferred one',
      [
        nack(1, {
          errorDetail: inferred,
          changed: [nacked({ errorState: { ...error, details: inferred } })],
        }),
        admin(2, nacked()),
      ],
    ],
    [
      'an inferred text replaces none',
      [
        admin(1, nacked()),
        nack(2, {
          errorDetail: inferred,
          changed: [nacked({ errorState: { ...error, details: inferred } })],
        }),
      ],
    ],
  ] as const)('%s: it is one issue', (_, observations) => {
    const index = fold(observations);
    expect(textsOf(index)).toEqual([error.details]);
    expect(issuesAt(index, 10)).toEqual(['nack cart 1..open c1']);
    const repaired = [admin(20, sampleResource()), { ...ack(30, [sampleResource()]), typeUrl: CDS.typeUrl }];
    expect(issuesAt(fold([...observations, ...repaired]), 40)).toEqual(['nack cart 1..30 c1']);
  });
});
