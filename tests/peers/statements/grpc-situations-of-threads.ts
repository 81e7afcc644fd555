import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import type { MeshResource } from '../../support/builders/topology-mesh';
import {
  type BackendPorts,
  every,
  filters,
  type GrpcSituation,
  grpcBuilders,
  resource,
  routes,
  uncounted,
} from './grpc-situation';

const ads = { ads: {}, resourceApiVersion: 'V3' };

/** What users report in the issues of gRPC-Go, C-core, gRPC-Java and grpc-js. */
export function grpcSituationsOfThreads(ports: BackendPorts): GrpcSituation[] {
  const { leadingTo, replace, over, without, aggregate, fine } = grpcBuilders(ports);
  const at = (port: number, more: object = {}) => ({
    endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue: port } } },
    ...more,
  });
  const edsOf = (name: string, ...localities: object[]): MeshResource =>
    resource(EDS.typeUrl, name, { endpoints: localities });
  const withEds = (name: string, title: string, ...localities: object[]): GrpcSituation => ({
    ...over(name, title),
    first: replace(leadingTo(name), edsOf(name, ...localities)),
  });
  const zone = (of: string, more: object) => ({ locality: { region: 'here', zone: of }, ...more });
  const notTaken = (name: string, title: string, match: object): GrpcSituation => ({
    ...without(name, title, leadingTo(name, { routes: [{ match, route: { cluster: name } }] })),
    lacking: uncounted,
  });
  const dns = (name: string): MeshResource =>
    resource(CDS.typeUrl, name, {
      type: 'LOGICAL_DNS',
      loadAssignment: {
        endpoints: [
          {
            lbEndpoints: [
              {
                endpoint: {
                  address: { socketAddress: { address: 'localhost', portValue: ports.good } },
                },
              },
            ],
          },
        ],
      },
    });
  const policies = (...types: string[]) => ({
    loadBalancingPolicy: {
      policies: types.map((type) => ({
        typedExtensionConfig: {
          name: type,
          typedConfig: type.includes('TypedStruct')
            ? {
                '@type': `type.googleapis.com/${type}`,
                typeUrl: 'type.googleapis.com/ours.Policy',
                value: {},
              }
            : { '@type': `type.googleapis.com/envoy.extensions.load_balancing_policies.${type}` },
        },
      })),
    },
  });
  const unknownFilter = (isOptional: boolean) => ({
    name: 'unknown',
    ...(isOptional && { isOptional }),
    typedConfig: { '@type': `${filters}.http.buffer.v3.Buffer`, maxRequestBytes: 1 },
  });
  return [
    withEds('no-weight', 'the only locality has no weight', zone('a', { lbEndpoints: [at(ports.good)] })),
    withEds(
      'one-weight',
      'a locality without a weight beside one with a weight',
      zone('a', { lbEndpoints: [at(ports.closed)] }),
      zone('b', { lbEndpoints: [at(ports.good)], loadBalancingWeight: 1 }),
    ),
    withEds(
      'degraded',
      'every endpoint is DEGRADED',
      zone('a', { lbEndpoints: [at(ports.good, { healthStatus: 'DEGRADED' })], loadBalancingWeight: 1 }),
    ),
    withEds(
      'first-unhealthy',
      'every endpoint of the first priority is UNHEALTHY',
      zone('a', { lbEndpoints: [at(ports.good, { healthStatus: 'UNHEALTHY' })], loadBalancingWeight: 1 }),
      zone('b', { lbEndpoints: [at(ports.good)], loadBalancingWeight: 1, priority: 1 }),
    ),
    notTaken('header', 'the only route wants a header that RPCs do not have', {
      ...every,
      headers: [{ name: 'x-version', stringMatch: { exact: '2' } }],
    }),
    notTaken('fraction', 'the only route takes no fraction of the RPCs', {
      ...every,
      runtimeFraction: { defaultValue: { numerator: 0, denominator: 'HUNDRED' } },
    }),
    without(
      'cluster-header',
      'the only route names its cluster by a header, which gRPC does not support',
      leadingTo('cluster-header', { routes: [{ match: every, route: { clusterHeader: 'x-cluster' } }] }),
    ),
    {
      ...over('logical-dns', 'a cluster of logical DNS'),
      first: replace(leadingTo('logical-dns').slice(0, 3), dns('logical-dns')),
      // The addresses behind the name are not in CSDS.
      lacking: {
        'CSDS and channelz': ['effective config', 'graph'],
        CSDS: ['effective config', 'graph', 'failover', 'issues'],
      },
    },
    {
      ...over('leaf-missing', 'the first leaf of an aggregate does not exist'),
      first: [
        ...replace(
          leadingTo('leaf-missing').slice(0, 2),
          aggregate('leaf-missing', 'leaf-missing-gone', 'leaf-missing-good'),
        ),
        ...fine('leaf-missing-good'),
      ],
    },
    over('unknown-policy', 'the first load balancing policy is not known', {
      cluster: policies('xds.type.v3.TypedStruct', 'round_robin.v3.RoundRobin'),
    }),
    over('optional-filter', 'an optional filter that is not known', { filters: [unknownFilter(true)] }),
    without(
      'unknown-filter',
      'a filter that is not known was rejected from the start',
      leadingTo('unknown-filter', { filters: [unknownFilter(false)] }),
    ),
    {
      ...over('inline-routes', 'the listener has its routes itself'),
      first: replace(
        leadingTo('inline-routes').filter(({ typeUrl }) => typeUrl !== routes('x', []).typeUrl),
        resource(LDS.typeUrl, 'inline-routes', {
          apiListener: {
            apiListener: {
              '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
              routeConfig: {
                virtualHosts: [
                  {
                    name: 'all',
                    domains: ['*'],
                    routes: [{ match: every, route: { cluster: 'inline-routes' } }],
                  },
                ],
              },
              httpFilters: [{ name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } }],
            },
          },
        }),
      ),
    },
    {
      ...over('service-name', 'endpoints under a service name'),
      first: [
        ...leadingTo('service-name', {
          cluster: { edsClusterConfig: { edsConfig: ads, serviceName: 'service-name-eds' } },
        }).slice(0, 3),
        edsOf('service-name-eds', zone('a', { lbEndpoints: [at(ports.good)], loadBalancingWeight: 1 })),
      ],
    },
    {
      ...over('cluster-removed', 'the cluster was removed after it served'),
      later: leadingTo('cluster-removed').slice(0, 2),
    },
    {
      ...without(
        'routes-moved',
        'the listener names routes that do not exist, after it served',
        leadingTo('routes-moved'),
      ),
      later: replace(
        leadingTo('routes-moved'),
        resource(LDS.typeUrl, 'routes-moved', {
          apiListener: {
            apiListener: {
              '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
              rds: { routeConfigName: 'routes-moved-gone', configSource: ads },
              httpFilters: [{ name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } }],
            },
          },
        }),
      ),
    },
  ];
}
