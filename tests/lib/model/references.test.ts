import { expect, test } from 'vitest';
import { parseResource } from '@/lib/model/parse-resource';
import { referencesOf } from '@/lib/model/references';
import { buildResourceLinks } from '@/lib/model/resource-links';
import { CDS, EDS, LDS, RDS, SDS, VHDS } from '@/lib/xds/resource-type';

const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const listener = parseResource(LDS.typeUrl, {
  name: 'l',
  apiListener: { apiListener: { '@type': managerType, rds: { routeConfigName: 'r' } } },
});
const routes = parseResource(RDS.typeUrl, {
  name: 'r',
  vhds: {},
  virtualHosts: [
    {
      routes: [
        { route: { cluster: 'a', requestMirrorPolicies: [{ cluster: 'shadow' }] } },
        {
          route: {
            weightedClusters: {
              clusters: [
                { name: 'a', weight: 1 },
                { name: 'b', weight: 1 },
              ],
            },
          },
        },
      ],
    },
  ],
});
const cluster = parseResource(CDS.typeUrl, {
  name: 'a',
  type: 'EDS',
  transportSocket: {
    typedConfig: { commonTlsContext: { tlsCertificateSdsSecretConfigs: [{ name: 'cert' }] } },
  },
});
const aggregate = parseResource(CDS.typeUrl, {
  name: 'agg',
  clusterType: {
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',
      clusters: ['a', 'agg', 'b'],
    },
  },
});

test('referencesOf lists the references of a resource in order and without repetitions', () => {
  const reported = [listener, routes, cluster, aggregate].map((model) =>
    referencesOf(model).map(({ how, name }) => `${how} ${name}`),
  );
  expect(reported).toEqual([
    ['rds r'],
    ['vhds r/*', 'route a', 'mirror shadow', 'weighted b'],
    ['eds a', 'tls cert'],
    ['aggregate a', 'aggregate agg', 'aggregate b'],
  ]);
});

test('referencesOf finds references of extensions, and the kind of each config source', () => {
  const grpcService = (clusterName: string) => ({ grpcService: { envoyGrpc: { clusterName } } });
  const manager = {
    '@type': managerType,
    rds: { routeConfigName: 'r', configSource: { pathConfigSource: { path: '/routes' } } },
    accessLog: [{ typedConfig: { commonConfig: grpcService('als') } }],
    tracing: { provider: { typedConfig: { collectorCluster: 'zipkin' } } },
    httpFilters: [
      { name: 'authz', typedConfig: { '@type': 'x/a.ExtAuthz', ...grpcService('authz') } },
      {
        name: 'jwt',
        typedConfig: { providers: { p: { remoteJwks: { httpUri: { uri: 'u', cluster: 'jwks' } } } } },
      },
      { name: 'late', configDiscovery: { configSource: { ads: {} } } },
      { name: 'text', typedConfig: { metadata: { cluster: 'not one' } } },
    ],
  };
  const socket = {
    typedConfig: {
      commonTlsContext: {
        tlsCertificateSdsSecretConfigs: [{ name: 'cert', sdsConfig: { apiConfigSource: {} } }],
      },
    },
  };
  const model = parseResource(LDS.typeUrl, {
    name: 'l',
    filterChains: [{ filters: [{ typedConfig: manager }], transportSocket: socket }],
  });
  expect(referencesOf(model).map(({ how, name, from }) => `${how} ${name} ${from}`)).toEqual([
    'rds r path',
    'ecds late ads',
    'tls cert api',
    'service als undefined',
    'service zipkin undefined',
    'service authz undefined',
    'service jwks undefined',
  ]);
});

test('referencesOf() of a bootstrap has its local cluster and the clusters that it calls, not the cluster of its node', () => {
  const bootstrap = parseResource('type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap', {
    node: { id: 'edge-1', cluster: 'edge' },
    clusterManager: { localClusterName: 'local' },
    dynamicResources: { adsConfig: { grpcServices: [{ envoyGrpc: { clusterName: 'xds' } }] } },
  });
  expect(referencesOf(bootstrap).map(({ name }) => name)).toEqual(['local', 'xds']);
});

test('parseResource accepts references of the wrong type and deep nesting', () => {
  let deep: object = { cluster: 'deep' };
  for (let level = 0; level < 200; level++) deep = { deep };
  const odd = [{ cluster: 7 }, { name: 'x', sdsConfig: 'no' }, { envoyGrpc: [] }, null, deep];
  const model = parseResource(CDS.typeUrl, { name: 'c', odd });
  expect(model.embedded).toEqual([{ typeUrl: SDS.typeUrl, name: 'x', how: 'tls', from: 'unset' }]);
});

const models = new Map([
  ['h1', listener],
  ['h2', routes],
  ['h3', cluster],
  ['h4', aggregate],
]);
const rows = [
  { typeUrl: LDS.typeUrl, name: 'l', hash: 'h1' },
  { typeUrl: RDS.typeUrl, name: 'r', hash: 'h2' },
  { typeUrl: VHDS.typeUrl, name: 'r/host', hash: null },
  { typeUrl: CDS.typeUrl, name: 'a', hash: 'h3' },
  { typeUrl: CDS.typeUrl, name: 'agg', hash: 'h4' },
  { typeUrl: EDS.typeUrl, name: 'a', hash: null },
].map((row) => ({ ...row, versionInfo: '', clientStatus: 'ACKED' as const, errorState: null }));
const modelOf = (hash: string) => models.get(hash);

test('buildResourceLinks returns both directions, including absent resources', () => {
  expect(buildResourceLinks({ rows, modelOf, of: { typeUrl: CDS.typeUrl, name: 'a' } })).toEqual({
    uses: [
      { typeUrl: EDS.typeUrl, name: 'a', held: true, how: 'eds', from: 'unset' },
      { typeUrl: SDS.typeUrl, name: 'cert', held: false, how: 'tls', from: 'unset' },
    ],
    usedBy: [
      { typeUrl: RDS.typeUrl, name: 'r', held: true, how: 'route' },
      { typeUrl: CDS.typeUrl, name: 'agg', held: true, how: 'aggregate' },
    ],
  });
});

test('buildResourceLinks finds the users of a resource that is not held', () => {
  const links = buildResourceLinks({ rows, modelOf, of: { typeUrl: CDS.typeUrl, name: 'shadow' } });
  expect(links).toEqual({
    uses: [],
    usedBy: [{ typeUrl: RDS.typeUrl, name: 'r', held: true, how: 'mirror' }],
  });
});

test('buildResourceLinks links a route configuration to its held VHDS resources', () => {
  const uses = buildResourceLinks({ rows, modelOf, of: { typeUrl: RDS.typeUrl, name: 'r' } }).uses;
  expect(uses.filter((use) => use.typeUrl === VHDS.typeUrl)).toEqual([
    { typeUrl: VHDS.typeUrl, name: 'r/host', held: true, how: 'vhds', from: 'unset' },
  ]);
  const usedBy = buildResourceLinks({ rows, modelOf, of: { typeUrl: VHDS.typeUrl, name: 'r/host' } }).usedBy;
  expect(usedBy).toEqual([{ typeUrl: RDS.typeUrl, name: 'r', held: true, how: 'vhds', from: 'unset' }]);
});
