import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noAssignment } from '@/lib/model/endpoints';
import { parseResource } from '@/lib/model/parse-resource';
import { CDS, EDS, LDS, RDS, resourceTypes, SDS, SRDS, VHDS } from '@/lib/xds/resource-type';

const any = (name: string, fields: object = {}) => ({ '@type': `type.googleapis.com/${name}`, ...fields });
const manager = (fields: object) =>
  any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', fields);
const socket = (address: string, portValue: number) => ({ socketAddress: { address, portValue } });

test('parseResource reads the API listener of a gRPC client, with RDS and its filters', () => {
  const routed = manager({
    rds: { configSource: { ads: {} }, routeConfigName: 'rt-a' },
    httpFilters: [{ name: 'fault' }, { name: 'router' }, { name: 'late', configDiscovery: {} }],
  });
  expect(parseResource(LDS.typeUrl, { name: 'svc-a', apiListener: { apiListener: routed } })).toMatchObject({
    kind: 'listener',
    name: 'svc-a',
    apiListener: {
      routes: { kind: 'rds', name: 'rt-a' },
      httpFilters: [
        { name: 'fault', isDiscovered: false },
        { name: 'router', isDiscovered: false },
        { name: 'late', isDiscovered: true },
      ],
    },
    notes: [],
  });
});

test('parseResource reads the filter chains of a socket listener: HTTP, TCP proxies, TLS secrets, unknown filters', () => {
  const listener = {
    name: 'edge',
    address: socket('::1', 8443),
    filterChains: [
      {
        filterChainMatch: {
          serverNames: ['a.example'],
          prefixRanges: [{ addressPrefix: '10.0.0.0', prefixLen: 8 }],
        },
        filters: [
          { name: 'http', typedConfig: manager({ routeConfig: { name: 'inline', virtualHosts: [] } }) },
        ],
        transportSocket: {
          typedConfig: any('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
            commonTlsContext: {
              tlsCertificateSdsSecretConfigs: [{ name: 'cert' }],
              combinedValidationContext: { validationContextSdsSecretConfig: { name: 'ca' } },
            },
          }),
        },
      },
      {
        filters: [
          { name: 'mystery', typedConfig: any('acme.Filter', { value: 'AAAA' }) },
          {
            typedConfig: any('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
              weightedClusters: {
                clusters: [
                  { name: 'db-1', weight: 3 },
                  { name: 'db-2', weight: 1 },
                ],
              },
            }),
          },
        ],
      },
    ],
    defaultFilterChain: {
      filters: [
        {
          typedConfig: any('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
            cluster: 'passthrough',
          }),
        },
      ],
    },
  };
  const model = parseResource(LDS.typeUrl, listener);
  expect(model).toMatchObject({
    apiListener: null,
    address: '[::1]:8443',
    filterChains: [
      {
        match: 'a.example, 10.0.0.0/8',
        managers: [{ routes: { kind: 'inline', table: { name: 'inline' } } }],
      },
      {
        otherFilters: [{ name: 'mystery' }],
        tcpClusters: [
          { name: 'db-1', weight: 3 },
          { name: 'db-2', weight: 1 },
        ],
      },
      { name: 'default', tcpClusters: [{ name: 'passthrough', weight: 1 }] },
    ],
  });
});

test.each([
  [{ prefix: '' }, 'every path'],
  [{ prefix: '/cart' }, 'prefix /cart'],
  [{ path: '/a.B/C', caseSensitive: false }, 'path /a.B/C, in any case'],
  [{ safeRegex: { regex: '^/v[0-9]+' } }, 'regex ^/v[0-9]+'],
  [{ pathSeparatedPrefix: '/api' }, 'path under /api'],
  [{ prefix: '/', headers: [{ name: 'x', stringMatch: { exact: '1' } }] }, 'prefix /, header x = 1'],
  [
    { prefix: '/', headers: [{ name: 'x', presentMatch: true, invertMatch: true }] },
    'prefix /, not (header x present)',
  ],
  [
    { prefix: '/', headers: [{ name: 'n', rangeMatch: { start: '1', end: '5' } }] },
    'prefix /, header n in [1, 5)',
  ],
  [{ prefix: '/', queryParameters: [{ name: 'q', presentMatch: true }] }, 'prefix /, query q present'],
  [
    { prefix: '/', runtimeFraction: { defaultValue: { numerator: 25, denominator: 'TEN_THOUSAND' } } },
    'prefix /, 0.25% of requests',
  ],
  [undefined, 'no match'],
])('parseResource formats the match %j as "%s"', (match, words) => {
  const model = parseResource(RDS.typeUrl, { name: 'r', virtualHosts: [{ name: 'v', routes: [{ match }] }] });
  expect(model.kind === 'route-config' && model.virtualHosts[0]?.routes[0]?.match).toBe(words);
});

test.each([
  [{ route: { cluster: 'a' } }, { kind: 'cluster', cluster: 'a' }],
  [
    { route: { weightedClusters: { clusters: [{ name: 'a', weight: 90 }, { name: 'b' }] } } },
    {
      kind: 'weighted',
      clusters: [
        { name: 'a', weight: 90 },
        { name: 'b', weight: 0 },
      ],
    },
  ],
  [{ route: { clusterHeader: 'x-to' } }, { kind: 'cluster-header', header: 'x-to' }],
  [{ route: { clusterSpecifierPlugin: 'rls' } }, { kind: 'plugin', plugin: 'rls' }],
  [{ route: {} }, { kind: 'other', text: 'no cluster' }],
  [
    { redirect: { httpsRedirect: true } },
    { kind: 'redirect', text: 'redirect to https://, moved permanently' },
  ],
  [{ directResponse: { status: 404 } }, { kind: 'direct-response', status: 404 }],
  [{ nonForwardingAction: {} }, { kind: 'non-forwarding' }],
  [{}, { kind: 'other', text: 'no action' }],
])('parseResource reads the route action %j', (action, expected) => {
  const model = parseResource(RDS.typeUrl, { name: 'r', virtualHosts: [{ name: 'v', routes: [action] }] });
  expect(model.kind === 'route-config' && model.virtualHosts[0]?.routes[0]?.action).toEqual(expected);
});

test.each([
  [
    { type: 'EDS', edsClusterConfig: { serviceName: 'c-eds' } },
    { kind: 'eds', serviceName: 'c-eds', from: 'unset' },
  ],
  [
    { type: 'EDS', edsClusterConfig: {} },
    { kind: 'eds', serviceName: 'c', from: 'unset' },
  ],
  [{ type: 'ORIGINAL_DST' }, { kind: 'original-dst' }],
  [{ type: '9' }, { kind: 'custom', name: 'type 9' }],
  [{}, { kind: 'static', assignment: noAssignment }],
  [
    {
      clusterType: {
        name: 'envoy.clusters.aggregate',
        typedConfig: any('envoy.extensions.clusters.aggregate.v3.ClusterConfig', {
          clusters: ['near', 'far'],
        }),
      },
    },
    { kind: 'aggregate', clusters: ['near', 'far'] },
  ],
  [
    { clusterType: { name: 'acme.cluster', typedConfig: any('acme.C') } },
    { kind: 'custom', name: 'acme.cluster' },
  ],
])('parseResource reads the discovery of the cluster %j', (fields, discovery) => {
  const model = parseResource(CDS.typeUrl, { name: 'c', ...fields });
  expect(model.kind === 'cluster' && model.discovery).toEqual(discovery);
});

test('parseResource prefers load_balancing_policy to lb_policy', () => {
  const model = parseResource(CDS.typeUrl, {
    lbPolicy: 'RING_HASH',
    loadBalancingPolicy: {
      policies: [
        { typedExtensionConfig: { name: 'envoy.load_balancing_policies.wrr_locality' } },
        { typedExtensionConfig: { typedConfig: any('xds.type.v3.TypedStruct') } },
      ],
    },
  });
  expect(model.kind === 'cluster' && model.lbPolicies).toEqual([
    'envoy.load_balancing_policies.wrr_locality',
    'xds.type.v3.TypedStruct',
  ]);
});

test('parseResource sorts localities into ascending priorities and keeps those without weight', () => {
  const model = parseResource(EDS.typeUrl, {
    clusterName: 'c-eds',
    endpoints: [
      { priority: 1, locality: { region: 'us' }, loadBalancingWeight: 1, lbEndpoints: [] },
      {
        locality: { region: 'eu', zone: 'eu-1' },
        lbEndpoints: [
          {
            endpoint: { address: socket('10.0.0.1', 80) },
            healthStatus: 'UNHEALTHY',
            loadBalancingWeight: 5,
          },
          { endpoint: { address: { pipe: { path: '/run/x' } } } },
        ],
      },
    ],
    policy: { dropOverloads: [{ category: 'throttle', dropPercentage: { numerator: 5 } }] },
  });
  expect(model).toMatchObject({
    name: 'c-eds',
    dropOverloads: [{ category: 'throttle', percent: 5 }],
    priorities: [
      {
        priority: 0,
        localities: [
          {
            locality: { region: 'eu', zone: 'eu-1', subZone: '' },
            weight: undefined,
            endpoints: [
              { address: '10.0.0.1:80', health: 'UNHEALTHY', weight: 5 },
              { address: 'unix:/run/x', health: 'UNKNOWN', weight: undefined },
            ],
          },
        ],
      },
      { priority: 1, localities: [{ weight: 1, endpoints: [] }] },
    ],
  });
});

test('parseResource reads secrets, virtual hosts and scoped routes, and returns "other" for other types', () => {
  expect(parseResource(SDS.typeUrl, { name: 's', tlsCertificate: {} })).toMatchObject({
    holds: 'TLS certificate',
  });
  expect(parseResource(VHDS.typeUrl, { name: 'r/v', domains: ['*'] })).toMatchObject({
    kind: 'virtual-host',
  });
  const scope = { name: 'n', routeConfigurationName: 'r', key: { fragments: [{ stringKey: 'a' }] } };
  expect(parseResource(SRDS.typeUrl, scope)).toMatchObject({ routeConfigName: 'r', scope: 'a' });
  expect(parseResource('type.googleapis.com/acme.Thing', { name: 't' })).toMatchObject({
    kind: 'other',
    name: 't',
  });
});

test('parseResource accepts the type URLs of grpc-js-xds, which have no prefix', () => {
  expect(parseResource('envoy.config.cluster.v3.Cluster', {}).typeUrl).toBe(CDS.typeUrl);
});

test('parseResource notes a wrong type with path, expected and got, and reads it as absent', () => {
  const wrong = {
    name: 7,
    virtualHosts: [{ domains: 'x', routes: [{ route: { cluster: ['a'] } }, 'no'] }, null],
  };
  expect(parseResource(RDS.typeUrl, wrong)).toMatchObject({
    name: '',
    virtualHosts: [{ domains: [], routes: [{ action: { kind: 'cluster', cluster: '' } }] }],
    notes: [
      'name: expected a string, got number',
      'virtualHosts[1]: expected an object, got null',
      'virtualHosts[0].domains: expected a list, got string',
      'virtualHosts[0].routes[1]: expected an object, got string',
      'virtualHosts[0].routes[0].route.cluster: expected a string, got a list',
    ],
  });
});

test('parseResource adds at most 50 notes', () => {
  const model = parseResource(VHDS.typeUrl, { domains: Array.from({ length: 1000 }, () => 1) });
  expect(model.notes).toHaveLength(51);
  expect(model.notes.at(-1)).toBe('further problems are not listed');
});

test('parseResource never throws for any JSON', () => {
  const types = resourceTypes.map((type) => type.typeUrl);
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.jsonValue(), (typeUrl, json) => {
      expect(parseResource(typeUrl, json).typeUrl).toBe(typeUrl);
    }),
  );
});

const knownKeys = [
  'name',
  'virtualHosts',
  'routes',
  'match',
  'route',
  'cluster',
  'endpoints',
  'lbEndpoints',
  'endpoint',
];
const moreKeys = [
  'address',
  'filterChains',
  'filters',
  'typedConfig',
  '@type',
  'type',
  'clusterType',
  'loadAssignment',
];
test('parseResource never throws for known fields with values of any type', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, '', 'EDS', -1, 1.5, true, []),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...knownKeys, ...moreKeys), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.constantFrom(LDS, RDS, CDS, EDS), value, (type, json) => {
      expect(Array.isArray(parseResource(type.typeUrl, json).notes)).toBe(true);
    }),
  );
});
