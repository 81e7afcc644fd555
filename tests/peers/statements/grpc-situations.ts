import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { MeshResource } from '../../support/builders/topology-mesh';
import type { Outcome, View } from './rows';

/** The config of one target of a gRPC client: the resources have the name of the target, or begin with it. */
export interface GrpcSituation {
  /** The name of its Listener. */
  readonly name: string;
  readonly title: string;
  readonly first: readonly MeshResource[];
  /** Served when RPCs have had the outcome of the first ones. Absent: the first ones stay. */
  readonly later?: readonly MeshResource[];
  /** The outcome of the first ones. Absent: RPCs succeed. */
  readonly firstOutcome?: Outcome;
  /** The clusters to which the route of the RPCs leads. */
  readonly clusters: readonly string[];
  /** The views that lack the fact, by the name of the client, or by the vantage. */
  readonly lacking?: Readonly<Record<string, readonly View[]>>;
}

/**
 * The channelz of grpc-java counts no RPC that ends before a connection is chosen. An issue about many targets of one client, as
 * that of grpc-js-xds has them, names the five with the most errors. Which methods are called is not in the config.
 */
const uncounted: GrpcSituation['lacking'] = {
  'grpc-java': ['issues', 'connections'],
  'grpc-js-xds': ['issues'],
  CSDS: ['issues'],
};

export interface BackendPorts {
  /** Answers every RPC. */
  readonly good: number;
  /** Accepts no connection. */
  readonly closed: number;
}

interface Endpoint {
  readonly port: number;
  readonly health?: string;
}

interface Options {
  readonly routes?: readonly object[];
  readonly domains?: readonly string[];
  readonly filters?: readonly object[];
  readonly cluster?: object;
  /** By priority. */
  readonly endpoints?: readonly (readonly Endpoint[])[];
  readonly policy?: object;
}

const filters = 'type.googleapis.com/envoy.extensions.filters';
const ads = { ads: {}, resourceApiVersion: 'V3' };
const router = { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } };
const every = { prefix: '' };

function resource(typeUrl: string, name: string, body: object): MeshResource {
  return {
    typeUrl,
    name,
    body: typeUrl === EDS.typeUrl ? { clusterName: name, ...body } : { name, ...body },
  };
}

function listener(name: string, httpFilters: readonly object[] = []): MeshResource {
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    rds: { routeConfigName: name, configSource: ads },
    httpFilters: [...httpFilters, router],
  };
  return resource(LDS.typeUrl, name, { apiListener: { apiListener: manager } });
}

function routes(name: string, own: readonly object[], domains: readonly string[] = ['*']): MeshResource {
  return resource(RDS.typeUrl, name, { virtualHosts: [{ name: 'all', domains, routes: own }] });
}

function cluster(name: string, more: object = {}): MeshResource {
  return resource(CDS.typeUrl, name, { type: 'EDS', edsClusterConfig: { edsConfig: ads }, ...more });
}

function endpoints(
  name: string,
  priorities: readonly (readonly Endpoint[])[],
  policy?: object,
  firstPriority = 0,
): MeshResource {
  return resource(EDS.typeUrl, name, {
    endpoints: priorities.map((own, at) => ({
      locality: { region: 'here', zone: `here-${at}` },
      ...{ priority: firstPriority + at, loadBalancingWeight: 1 },
      lbEndpoints: own.map(({ port, health: healthStatus = 'UNKNOWN' }) => ({
        endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue: port } } },
        healthStatus,
      })),
    })),
    ...(policy && { policy }),
  });
}

const percent = (numerator: number) => ({ numerator, denominator: 'HUNDRED' });

function fault(share: number): object {
  const abort = { httpStatus: 503, percentage: percent(share) };
  return { name: 'fault', typedConfig: { '@type': `${filters}.http.fault.v3.HTTPFault`, abort } };
}

const drops = (share: number) => ({
  dropOverloads: [{ category: 'shed', dropPercentage: percent(share) }],
});

const rejected = {
  // The router is a terminal filter: nothing may follow it.
  listener: (name: string) => listener(name, [{ ...router, name: 'second-router' }]),
  // Weights that add up to 0.
  routes: (name: string) =>
    routes(name, [{ match: every, route: { weightedClusters: { clusters: [{ name, weight: 0 }] } } }]),
  cluster: (name: string) => cluster(name, { lbPolicy: 'RANDOM' }),
  // A priority without the one before it.
  endpoints: (name: string, port: number) => endpoints(name, [[{ port }]], undefined, 1),
};

/**
 * The management server has these resources alone, and answers no request for clusters, as go-control-plane in ADS mode does if a
 * cluster of its snapshot is not requested.
 */
export const withheldCluster: GrpcSituation = {
  name: 'withheld',
  title: 'the request for a cluster is never answered, and the other one has weight 0',
  first: [
    listener('withheld'),
    routes('withheld', [
      {
        match: every,
        route: {
          weightedClusters: {
            clusters: [
              { name: 'withheld', weight: 100 },
              { name: 'withheld-zero', weight: 0 },
            ],
          },
        },
      },
    ]),
  ],
  clusters: ['withheld'],
};

export function grpcSituations({ good, closed }: BackendPorts): GrpcSituation[] {
  const up = [[{ port: good }]];
  const leadingTo = (name: string, options: Options = {}): MeshResource[] => [
    listener(name, options.filters),
    routes(name, options.routes ?? [{ match: every, route: { cluster: name } }], options.domains),
    cluster(name, options.cluster),
    endpoints(name, options.endpoints ?? up, options.policy),
  ];
  const replace = (all: readonly MeshResource[], ...by: readonly MeshResource[]): MeshResource[] => [
    ...all.filter(({ typeUrl }) => by.every((each) => each.typeUrl !== typeUrl)),
    ...by,
  ];
  const over = (name: string, title: string, options: Options = {}): GrpcSituation => ({
    ...{ name, title, first: leadingTo(name, options), clusters: [name] },
  });
  const without = (name: string, title: string, first: readonly MeshResource[]): GrpcSituation => ({
    ...{ name, title, first, clusters: [] },
  });
  const later = (name: string, title: string, ...by: readonly MeshResource[]): GrpcSituation => ({
    ...over(name, title),
    later: replace(leadingTo(name), ...by),
  });
  const repaired = (name: string, title: string, first: Options): GrpcSituation => ({
    ...over(name, title, first),
    ...{ firstOutcome: 'fails', later: leadingTo(name) },
  });
  const legs = (name: string): object => ({
    weightedClusters: {
      clusters: [
        { name, weight: 50 },
        { name: `${name}-bad`, weight: 50 },
      ],
    },
  });
  const aggregate = (name: string, ...clusters: string[]): MeshResource =>
    resource(CDS.typeUrl, name, {
      clusterType: {
        name: 'envoy.clusters.aggregate',
        typedConfig: {
          '@type': 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',
          clusters,
        },
      },
    });
  const bad = (name: string): MeshResource[] => [cluster(name), endpoints(name, [[{ port: closed }]])];
  const fine = (name: string): MeshResource[] => [cluster(name), endpoints(name, up)];
  return [
    over('healthy', 'a healthy endpoint'),
    over('closed', 'the endpoint accepts no connection', { endpoints: [[{ port: closed }]] }),
    over('one-closed', 'one of two endpoints accepts no connection', {
      endpoints: [[{ port: good }, { port: closed }]],
    }),
    over('no-endpoints', 'EDS has no endpoint', { endpoints: [] }),
    over('unhealthy', 'every endpoint is UNHEALTHY', {
      endpoints: [[{ port: good, health: 'UNHEALTHY' }]],
    }),
    over('draining', 'every endpoint is DRAINING', { endpoints: [[{ port: good, health: 'DRAINING' }]] }),
    over('second-priority', 'only priority 1 accepts connections', {
      endpoints: [[{ port: closed }], [{ port: good }]],
    }),
    {
      ...over('half-dropped', 'EDS drops 50%', { policy: drops(50) }),
      lacking: { 'grpc-js-xds': ['issues'] },
    },
    over('dropped', 'EDS drops 100%', { policy: drops(100) }),
    over('limited', 'the circuit breaker admits no request', {
      cluster: { circuitBreakers: { thresholds: [{ maxRequests: 0 }] } },
    }),
    over('ring-hash', 'ring_hash', { cluster: { lbPolicy: 'RING_HASH' } }),
    over('ring-hash-closed', 'ring_hash, and the endpoint accepts no connection', {
      cluster: { lbPolicy: 'RING_HASH' },
      endpoints: [[{ port: closed }]],
    }),
    {
      ...over('aborted', 'the fault filter aborts 100%', { filters: [fault(100)] }),
      lacking: { 'grpc-java': ['connections'] },
    },
    {
      ...over('half-aborted', 'the fault filter aborts 50%', { filters: [fault(50)] }),
      lacking: uncounted,
    },
    {
      ...over('endpoints-rejected', 'the endpoints were rejected from the start'),
      first: replace(leadingTo('endpoints-rejected'), rejected.endpoints('endpoints-rejected', good)),
    },
    later(
      'endpoints-rejected-later',
      'the endpoints were rejected after accepted ones',
      rejected.endpoints('endpoints-rejected-later', good),
    ),
    over('cluster-rejected', 'the cluster was rejected from the start', { cluster: { lbPolicy: 'RANDOM' } }),
    later(
      'cluster-rejected-later',
      'the cluster was rejected after an accepted one',
      rejected.cluster('cluster-rejected-later'),
    ),
    without(
      'routes-rejected',
      'the routes were rejected from the start',
      replace(leadingTo('routes-rejected'), rejected.routes('routes-rejected')),
    ),
    later(
      'routes-rejected-later',
      'the routes were rejected after accepted ones',
      rejected.routes('routes-rejected-later'),
    ),
    without(
      'listener-rejected',
      'the listener was rejected from the start',
      replace(leadingTo('listener-rejected'), rejected.listener('listener-rejected')),
    ),
    later(
      'listener-rejected-later',
      'the listener was rejected after an accepted one',
      rejected.listener('listener-rejected-later'),
    ),
    without('no-listener', 'the listener does not exist', []),
    {
      ...over('listener-removed', 'the listener was removed after it served'),
      ...{ clusters: [], later: [] },
    },
    repaired('recovered', 'the endpoint accepted no connection, and EDS has another one now', {
      endpoints: [[{ port: closed }]],
    }),
    repaired('refilled', 'EDS had no endpoint, and has one now', { endpoints: [] }),
    repaired('repaired', 'the cluster was rejected, and is accepted now', {
      cluster: { lbPolicy: 'RANDOM' },
    }),
    {
      ...repaired('resumed', 'the fault filter aborted 100%, and was removed', { filters: [fault(100)] }),
      // A known bug of the client, which CSDS does not report: it continues with the earlier listener.
      lacking: { 'grpc-js-xds': ['effective config', 'graph', 'failover', 'issues'] },
    },
    repaired('unlimited', 'the circuit breaker admitted no request, and was removed', {
      cluster: { circuitBreakers: { thresholds: [{ maxRequests: 0 }] } },
    }),
    without('no-host', 'no virtual host matches the target', leadingTo('no-host', { domains: ['other'] })),
    {
      ...without(
        'no-route',
        'no route matches the method',
        leadingTo('no-route', { routes: [{ match: { prefix: '/other/' }, route: { cluster: 'no-route' } }] }),
      ),
      lacking: uncounted,
    },
    without(
      'no-action',
      'the route answers itself, which gRPC does not support',
      leadingTo('no-action', { routes: [{ match: every, directResponse: { status: 200 } }] }),
    ),
    {
      ...over('no-cluster', 'the route leads to a cluster that does not exist'),
      first: leadingTo('no-cluster').slice(0, 2),
    },
    {
      ...over('weighted', 'one of two weighted clusters accepts no connection', {
        routes: [{ match: every, route: legs('weighted') }],
      }),
      first: [
        ...leadingTo('weighted', { routes: [{ match: every, route: legs('weighted') }] }),
        ...bad('weighted-bad'),
      ],
      clusters: ['weighted', 'weighted-bad'],
    },
    {
      ...over('aggregate', 'the first leaf of an aggregate accepts no connection'),
      first: [
        ...replace(
          leadingTo('aggregate').slice(0, 2),
          aggregate('aggregate', 'aggregate-bad', 'aggregate-good'),
        ),
        ...bad('aggregate-bad'),
        ...fine('aggregate-good'),
      ],
    },
  ];
}
