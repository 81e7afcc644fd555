import { describe, expect, it } from 'vitest';
import { type AssessedClient, describeImpact } from '@/lib/issues/describe-impact';
import { assessImpact, type EffectiveCluster, type EffectiveListener } from '@/lib/issues/impact';
import type { IssueCause } from '@/lib/issues/issue-record';
import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';

const cause = (over: Partial<IssueCause> = {}): IssueCause => ({
  kind: 'nack',
  side: 'client',
  typeUrl: CDS.typeUrl,
  name: 'cart',
  text: '',
  ...over,
});

const effective = (over: Partial<EffectiveListener> = {}): EffectiveListener => ({
  listener: 'shop',
  traffic: {},
  status: 'resolved',
  error: '',
  doubts: [],
  missing: [],
  routes: ['shop-routes'],
  chains: [],
  isDynamic: false,
  hasOnlyClusterRoutes: true,
  clusters: { ok: 2, error: 0, waiting: 0, unknown: 0 },
  concerned: [],
  ...over,
});

const cluster = (over: Partial<EffectiveCluster> = {}): EffectiveCluster => ({
  ...{ name: 'cart', serviceName: 'cart', traffic: {}, status: 'ok', error: '', usable: 3 },
  ...over,
});

const lost = { keepsAccepted: false };
const kept = { keepsAccepted: true };

/** Returns a text such as "all-fail shop -". */
function levelOf(...input: Parameters<typeof assessImpact>): string {
  const { level, listener, cluster: name } = assessImpact(...input);
  return [level, listener ?? '-', name ?? '-'].join(' ');
}

describe('assessImpact', () => {
  const listenerGone = effective({ status: 'error', error: 'listener "shop" does not exist' });
  const cartFails = effective({
    clusters: { ok: 1, error: 1, waiting: 0, unknown: 0 },
    concerned: [cluster({ status: 'error', error: 'cluster "cart" was rejected' })],
  });
  const onlyCart = { ...cartFails, clusters: { ok: 0, error: 1, waiting: 0, unknown: 0 } };
  const withheld = effective({
    status: 'waiting',
    missing: [{ typeUrl: CDS.typeUrl, name: 'cart', text: 'cluster "cart" is requested' }],
    concerned: [cluster({ status: 'waiting', usable: null })],
  });
  const noEndpoints = effective({
    clusters: { ok: 1, error: 1, waiting: 0, unknown: 0 },
    concerned: [cluster({ usable: 0, status: 'error', error: 'EDS resource "cart" has no endpoints' })],
  });
  const table: readonly [
    string,
    IssueCause,
    { keepsAccepted: boolean | null },
    EffectiveListener[],
    string,
  ][] = [
    [
      'a deleted listener',
      cause({ kind: 'absent', typeUrl: LDS.typeUrl, name: 'shop' }),
      lost,
      [listenerGone],
      'all-fail shop -',
    ],
    [
      'a rejected listener in effect',
      cause({ typeUrl: LDS.typeUrl, name: 'shop' }),
      kept,
      [effective()],
      'none shop -',
    ],
    [
      'missing routes',
      cause({ kind: 'absent', typeUrl: RDS.typeUrl, name: 'shop-routes' }),
      lost,
      [{ ...listenerGone, listener: 'shop' }],
      'all-fail shop -',
    ],
    [
      'routes of another listener',
      cause({ typeUrl: RDS.typeUrl, name: 'other' }),
      lost,
      [effective()],
      'none - -',
    ],
    ['a rejected cluster that no route uses', cause(), lost, [effective()], 'none - -'],
    [
      'a rejected cluster with a last good payload',
      cause(),
      kept,
      [effective({ concerned: [cluster()] })],
      'none shop cart',
    ],
    ['a rejected cluster without one', cause(), lost, [cartFails], 'some-fail shop cart'],
    ['the only cluster', cause(), lost, [onlyCart], 'all-fail shop cart'],
    ['a cluster that blocks the config', cause(), lost, [withheld], 'waits shop -'],
    [
      'endpoints that were never accepted',
      cause({ typeUrl: EDS.typeUrl }),
      lost,
      [noEndpoints],
      'some-fail shop cart',
    ],
    [
      'the worst of two listeners',
      cause(),
      lost,
      [effective({ concerned: [cluster()] }), { ...cartFails, listener: 'b' }],
      'some-fail b cart',
    ],
    ['an unknown config', cause(), { keepsAccepted: null }, [], 'unknown - -'],
    ['a secret', cause({ typeUrl: SDS.typeUrl }), lost, [], 'unknown - -'],
    ['a secret with a last good payload', cause({ typeUrl: SDS.typeUrl }), kept, [], 'none - -'],
  ];

  it('knows whose traffic fails: that of the cluster, or else of the listener', () => {
    const [tcp, http] = [{ isOfTcp: true }, { isOfTcp: false }];
    const failing = cluster({ status: 'error', traffic: tcp });
    const mixed = effective({ traffic: http, concerned: [failing] });
    expect(assessImpact(cause(), lost, [mixed])).toMatchObject({ cluster: 'cart', isOfTcp: true });
    const gone = effective({ status: 'error', traffic: { isHypothetical: true } });
    expect(assessImpact(cause({ typeUrl: LDS.typeUrl, name: 'shop' }), lost, [gone])).toMatchObject({
      isHypothetical: true,
    });
  });

  it.each(table)('%s', (_, issue, period, listeners, expected) => {
    expect(levelOf(issue, period, listeners)).toBe(expected);
  });
});

describe('describeImpact', () => {
  const client = (nodeId: string, over: Partial<AssessedClient['impact']> = {}): AssessedClient => ({
    nodeId,
    isEnvoy: false,
    impact: { level: 'all-fail', listener: 'shop', cluster: null, reason: 'it does not exist', ...over },
  });

  it('names one client, and counts several', () => {
    expect(describeImpact([client('web')], 1)).toMatchObject({
      severity: 'critical',
      text: 'Every RPC of web to shop fails',
      reason: 'it does not exist',
    });
    expect(describeImpact([client('a'), client('b')], 2).text).toBe('Every RPC of 2 clients to shop fails');
    expect(describeImpact([client('a'), client('b')], 900).text).toBe(
      'Every RPC of 900 clients (2 assessed) to shop fails',
    );
  });

  it('states the worst impact and for how many clients it holds', () => {
    const none = client('c', { level: 'none', reason: 'the last good config is in effect' });
    const some = client('d', { level: 'some-fail', cluster: 'cart' });
    expect(describeImpact([none, some], 2)).toMatchObject({
      severity: 'major',
      clients: 1,
      text: 'RPCs of 1 of 2 clients to cluster cart fail',
    });
    expect(describeImpact([none], 1)).toMatchObject({
      severity: 'minor',
      text: 'None: the last good config is in effect',
      reason: '',
    });
  });

  it('states the connections of a TCP proxy', () => {
    const proxy = (over: Partial<AssessedClient['impact']>): AssessedClient => ({
      ...client('edge', { isOfTcp: true, ...over }),
      isEnvoy: true,
    });
    expect(describeImpact([proxy({})], 1).text).toBe('Every connection of edge to shop fails');
    const partial = proxy({ level: 'some-fail', cluster: 'cart', isPartial: true });
    expect(describeImpact([partial], 1).text).toBe('Some connections of edge to cluster cart fail');
    expect(describeImpact([proxy({ level: 'some-fail', cluster: 'cart' })], 1).text).toBe(
      'Connections of edge to cluster cart fail',
    );
  });

  it('states what a config would do that no client is known to run, after what one does', () => {
    const planned = client('plan', { isHypothetical: true });
    expect(describeImpact([planned], 1)).toMatchObject({
      severity: 'warning',
      text: 'Every RPC of plan to shop would fail',
    });
    const some = client('web', { level: 'some-fail', cluster: 'cart' });
    expect(describeImpact([planned, some], 2)).toMatchObject({
      severity: 'major',
      text: 'RPCs of 1 of 2 clients to cluster cart fail',
    });
  });

  it('speaks of requests for an Envoy, and of nothing that was not assessed', () => {
    expect(describeImpact([{ ...client('edge'), isEnvoy: true }], 1).text).toBe(
      'Every request of edge to shop fails',
    );
    expect(describeImpact([], 3)).toMatchObject({ level: 'unknown', severity: 'warning' });
  });
});
