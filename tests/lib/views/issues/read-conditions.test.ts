import { describe, expect, it } from 'vitest';
import { findFailing } from '@/lib/facts/failing-endpoints';
import { groupConditions } from '@/lib/issues/group-conditions';
import { removeExplained } from '@/lib/issues/remove-explained';
import type { Connection } from '@/lib/observation/connection';
import type { Reaction } from '@/lib/validate/reactions';
import type { ClientFindings } from '@/lib/views/findings/schema';
import { noHostInSubset } from '@/lib/views/issues/describe-issue-kind';
import { type Condition, readConditions } from '@/lib/views/issues/read-conditions';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import { mapProfiles } from '@/lib/xds/profile';
import { CDS, EDS, formatResourceType, LDS, RDS } from '@/lib/xds/resource-type';
import { edge, extension, start } from '@/tests/support/builders/envoy-edge';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import { apiListener, edsCluster, endpoints, routeConfig } from '@/tests/support/builders/topology-mesh';

const at = Date.parse('2026-11-26T20:10:00Z');
const timeOf = (minute: number): number => at + minute * 60_000;

type Tear = Tears['items'][number];
type Outcome = Tear['a74']['outcome'];

const tear = (a74: Outcome, preA74: Outcome, toAt?: number): Tear => ({
  ...{ kind: 'route-to-unknown-cluster', fromAt: timeOf(-3), toAt, durationMs: 1_000, rejection: '' },
  resources: [{ typeUrl: CDS.typeUrl, name: 'cart', service: 'CDS' }],
  a74: { outcome: a74, durationMs: 1_000, text: 'a74' },
  preA74: { outcome: preA74, durationMs: 1_000, text: 'before' },
});

type Item = ClientFindings['items'][number];

const finding = (reaction: Reaction, over: Partial<Item> = {}): Item => ({
  ...{ typeUrl: LDS.typeUrl, name: 'shop', service: 'LDS', versionInfo: '1', clientStatus: 'ACKED' },
  ...{ hash: 'aa', role: 'client', isRejected: false, verdict: 'ACK', clientError: '' },
  findings: [
    {
      ...{ ruleId: 'L6', source: 'gRFC A39', fieldPath: 'api_listener', message: 'no HTTP filters' },
      reactions: mapProfiles(() => reaction),
    },
  ],
  ...over,
});

const notice = (effect: ClientFindings['notices'][number]['effect']): ClientFindings['notices'][number] => ({
  ...{ id: 'a-bug', title: 'The client stops', statement: 'It stops.', effect, source: 'Measured.' },
  ...{ since: timeOf(-5), resources: [{ typeUrl: LDS.typeUrl, name: 'shop', service: 'LDS' }], total: 1 },
});

interface Found {
  readonly tears?: readonly Tear[];
  readonly items?: readonly Item[];
  readonly notices?: ClientFindings['notices'];
}

const read = ({ tears = [], items = [], notices = [] }: Found, clientId = 'c1'): Condition[] =>
  readConditions({
    ...{ clientId, at, tears: { items: [...tears], profile: 'go-1.85' }, listeners: [] },
    findings: { items: [...items], notices, profile: 'go-1.85' },
  });

const describeOne = ({ cause, period }: Condition): string =>
  [
    ...[cause.kind, cause.rule, formatResourceType(cause.typeUrl), cause.name, (period.from - at) / 60_000],
    period.to === undefined ? 'lasts' : (period.to - at) / 60_000,
    period.impact?.level ?? 'by the effective config',
  ].join(' ');

describe('readConditions', () => {
  it.each<[string, Found, string[]]>([
    ['nothing', {}, []],
    [
      'a tear that lasts: the effective config decides',
      { tears: [tear('waits', 'fails')] },
      ['tear route-to-unknown-cluster CDS cart -3 lasts by the effective config'],
    ],
    [
      'a tear that has ended',
      { tears: [tear('fails', 'fails', timeOf(-2))] },
      ['tear route-to-unknown-cluster CDS cart -3 -2 some-fail'],
    ],
    ['a tear that held nothing back', { tears: [tear('nothing', 'nothing', timeOf(-2))] }, []],
    [
      'a payload that ends the process',
      { items: [finding('crash')] },
      ['finding L6 LDS shop 0 lasts all-fail'],
    ],
    [
      'a response without an answer',
      { items: [finding('no answer', { role: 'unanswered' })] },
      ['finding L6 LDS shop 0 lasts frozen'],
    ],
    ['what the client ignores', { items: [finding('ignore'), finding('ignore resource')] }, []],
    ['what the client rejected is a NACK', { items: [finding('NACK', { isRejected: true })] }, []],
    ['what only the control plane has', { items: [finding('crash', { role: 'control-plane' })] }, []],
    [
      'a known bug that stops updates',
      { notices: [notice('frozen')] },
      ['notice a-bug LDS shop -5 lasts frozen'],
    ],
    [
      'a known bug that leaves a listener unused',
      { notices: [notice('unused')] },
      ['notice a-bug LDS shop -5 lasts by the effective config'],
    ],
  ])('%s', (_, found, expected) => {
    expect(read(found).map(describeOne)).toEqual(expected);
  });
});

describe('a cluster of an Envoy whose only host fails', () => {
  const mesh = [
    apiListener('shop', { rds: 'routes' }),
    routeConfig('routes', { '': 'cart' }),
    edsCluster('cart'),
    endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]),
  ];
  const kindsOf = (host: Partial<Connection>): string[] => {
    const connections: Connection[] = [
      {
        ...{ id: 'h', kind: 'host', cluster: 'cart', target: '10.0.0.1:80', channels: [] },
        ...{ state: 'HEALTHY', since: at, ...host },
      },
    ];
    const resolver = resolverOver(mesh, { profile: 'envoy' });
    resolver.setFailing(findFailing(connections));
    const listener: Resolved = {
      ...{ clientId: 'c1', at, revision: '', profile: 'envoy-1.40', starts: [], startsTotal: 0 },
      start: { listener: 'shop', kind: 'api', address: '' },
      ...buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})),
    };
    expect(listener.clusters.items[0]?.status).toBe('error');
    const facts = { clientId: 'c1', at, tears: undefined, findings: undefined };
    return readConditions({ ...facts, listeners: [listener], connections }).map(({ cause }) => cause.kind);
  };

  it('has an issue if connections to it fail', () => {
    expect(kindsOf({ state: 'CONNECT_FAILURE' })).toEqual(['unserved']);
  });

  it('has none of its config if the host answers each request with an error, which are counted', () => {
    const counts = { callsStarted: 20, callsSucceeded: 0, callsFailed: 20 };
    const figures = { ...counts, lastCallStartedAt: null, openStreams: null, callsPerSecond: null };
    expect(kindsOf({ figures })).toEqual([]);
  });
});

it.each([
  ['all-fail', 'local_ratelimit.v3.LocalRateLimit'],
  ['some-fail', 'health_check.v3.HealthCheck'],
])('a cluster without an endpoint at each route: %s beside the filter %s', (level, type) => {
  const filters = [{ name: 'own', typedConfig: { '@type': `${extension}http.${type}` } }];
  const mesh = [
    edge(filters),
    routeConfig('routes', { '': 'cart' }),
    edsCluster('cart'),
    endpoints('cart', []),
  ];
  const resolver = resolverOver(mesh, { start, profile: 'envoy' });
  const listener: Resolved = {
    ...{ clientId: 'c1', at, revision: '', profile: 'envoy-1.40', starts: [], startsTotal: 0 },
    start: { listener: 'edge', kind: 'server', address: '' },
    ...buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})),
  };
  const facts = { clientId: 'c1', at, tears: undefined, findings: undefined };
  const found = readConditions({ ...facts, listeners: [listener], connections: [] });
  expect(found.map(({ period }) => period.impact?.level)).toEqual([level]);
});

describe('a cluster whose usable hosts are in no subset that routes want', () => {
  const subsets = { lbSubsetConfig: { subsetSelectors: [{ keys: ['v'] }] } };
  const cluster = edsCluster('cart');
  const route = (prefix: string, metadata: object) => ({
    match: { prefix },
    route: { cluster: 'cart', metadataMatch: { filterMetadata: { 'envoy.lb': metadata } } },
  });
  const body = {
    clusterName: 'cart',
    endpoints: [
      {
        lbEndpoints: [
          {
            endpoint: { address: { socketAddress: { address: '10.0.0.1', portValue: 80 } } },
            metadata: { filterMetadata: { 'envoy.lb': { v: '1' } } },
          },
        ],
      },
    ],
  };
  const conditionsOf = (...routes: object[]) => {
    const resolver = resolverOver(
      [
        apiListener('shop', { rds: 'routes' }),
        {
          ...{ typeUrl: RDS.typeUrl, name: 'routes' },
          body: { name: 'routes', virtualHosts: [{ name: 'all', domains: ['*'], routes }] },
        },
        { ...cluster, body: { ...cluster.body, ...subsets } },
        { typeUrl: EDS.typeUrl, name: 'cart', body },
      ],
      { profile: 'envoy' },
    );
    const listener: Resolved = {
      ...{ clientId: 'c1', at, revision: '', profile: 'envoy-1.40', starts: [], startsTotal: 0 },
      start: { listener: 'shop', kind: 'api', address: '' },
      ...buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})),
    };
    const facts = { clientId: 'c1', at, tears: undefined, findings: undefined };
    return readConditions({ ...facts, listeners: [listener], connections: [] });
  };

  it('is one whose requests fail', () => {
    const [found, ...more] = conditionsOf(route('/', {}));
    expect(more).toEqual([]);
    expect(found?.cause).toMatchObject({ kind: 'unserved', name: 'cart', rule: noHostInSubset });
    expect(found?.cause.text).toContain('the fallback policy is NO_FALLBACK');
    expect(found?.period.impact).not.toHaveProperty('isPartial');
  });

  it('is one of which some requests fail, if others find a host', () => {
    expect(conditionsOf(route('/', { v: '1' }))).toEqual([]);
    const [found, ...more] = conditionsOf(route('/new', { v: '2' }), route('/', { v: '1' }));
    expect(more).toEqual([]);
    expect(found?.cause).toMatchObject({
      ...{ kind: 'unserved', name: 'cart', rule: noHostInSubset },
      text: 'requests with v=2 (1 route): no host has the metadata v=2, and the fallback policy is NO_FALLBACK',
    });
    expect(found?.period.impact).toMatchObject({ level: 'some-fail', cluster: 'cart', isPartial: true });
  });
});

it('the issue of a cluster of a TCP proxy is about connections, and of a config without a client about what would be', () => {
  const proxy = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
    ...{ statPrefix: 'tcp', cluster: 'cart' },
  };
  const web = {
    ...{ name: 'web', address: { socketAddress: { address: '0.0.0.0', portValue: 80 } } },
    filterChains: [{ filters: [{ name: 'tcp', typedConfig: proxy }] }],
  };
  const impactOf = (more: Pick<Resolved, 'noClient'>) => {
    const resolver = resolverOver(
      [{ typeUrl: LDS.typeUrl, name: 'web', body: web }, edsCluster('cart'), endpoints('cart', [])],
      { start: { listener: 'web' }, profile: 'envoy' },
    );
    const listener: Resolved = {
      ...{ clientId: 'c1', at, revision: '', profile: 'envoy-1.40', starts: [], startsTotal: 0 },
      start: { listener: 'web', kind: 'server', address: '' },
      ...buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})),
      ...more,
    };
    const [found] = readConditions({ clientId: 'c1', at, listeners: [listener] });
    return found?.period.impact;
  };
  expect(impactOf({})).toMatchObject({ level: 'all-fail', isOfTcp: true, isHypothetical: false });
  expect(impactOf({ noClient: 'no client is known' })).toMatchObject({ isOfTcp: true, isHypothetical: true });
});

describe('a listener that is awaited', () => {
  const missing = { typeUrl: LDS.typeUrl, name: 'web', service: 'LDS', neededBy: 'the target' };
  const conditionsOf = (why: Resolved['missing'][number]['why'], since?: number) => {
    const config = buildResolved(resolverOver([]), 'envoy-1.40', resolvedQuery.parse({}));
    const listener = {
      ...{ ...config, clientId: 'c1', at, revision: '1', profile: 'envoy-1.40', starts: [], startsTotal: 0 },
      ...{ status: 'waiting', start: { listener: 'web', kind: 'server', address: '' } },
      missing: [{ ...missing, why, text: 'it warms', ...(since !== undefined && { since }) }],
    } as const satisfies Resolved;
    return readConditions({ clientId: 'c1', at, listeners: [listener] }).map(describeOne);
  };

  it('has an issue since it warms, because it accepts no connection', () => {
    expect(conditionsOf('warming', timeOf(-2))).toEqual(['unserved  LDS web -2 lasts all-fail']);
    expect(conditionsOf('warming')).toEqual(['unserved  LDS web 0 lasts all-fail']);
  });

  it('has none if it is not known to warm', () => {
    expect(conditionsOf('never-asked')).toEqual([]);
  });
});

describe('groupConditions', () => {
  it('joins the clients of one cause, since the first of them had it', () => {
    const conditions = ['c1', 'c2'].flatMap((clientId) =>
      read({ tears: [tear('fails', 'fails')] }, clientId),
    );
    const issues = groupConditions(conditions, { at, idOf: (key) => key });
    expect(issues).toMatchObject([{ since: at - 180_000, resolvedAt: undefined, periods: [{}, {}] }]);
  });
});

describe('removeExplained', () => {
  const [absent, torn] = groupConditions(
    [
      ...read({ tears: [tear('fails', 'fails')] }).map(({ cause, period }) => ({
        cause: { ...cause, kind: 'absent', rule: undefined } as const,
        period,
      })),
      ...read({ tears: [tear('fails', 'fails')] }),
    ],
    { at, idOf: (key) => key },
  );
  if (absent === undefined || torn === undefined) throw new Error('expected two issues');

  it('leaves out a tear whose missing resource has an issue of its own', () => {
    expect(removeExplained([absent, torn], at)).toEqual([absent]);
  });
  it('keeps what lasts after the explanation has ended, once its end had time to be found', () => {
    const ended = (lag: number) => ({
      ...{ ...absent, resolvedAt: at - lag },
      periods: absent.periods.map((each) => ({ ...each, to: at - lag, end: 'repaired' as const })),
    });
    expect(removeExplained([ended(5_000), torn], at)).toEqual([ended(5_000)]);
    expect(removeExplained([ended(20_000), torn], at)).toEqual([ended(20_000), torn]);
  });
  it('keeps it at other clients', () => {
    const elsewhere = { ...torn, periods: torn.periods.map((each) => ({ ...each, clientId: 'c2' })) };
    expect(removeExplained([absent, elsewhere], at)).toEqual([absent, elsewhere]);
  });
});
