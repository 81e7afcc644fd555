import {
  type BackendPorts,
  drops,
  every,
  fault,
  type GrpcSituation,
  grpcBuilders,
  listener,
  rejected,
  routes,
  uncounted,
} from './grpc-situation';
import { grpcSituationsOfThreads } from './grpc-situations-of-threads';

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

export function grpcSituations(ports: BackendPorts): GrpcSituation[] {
  const { good, closed } = ports;
  const { leadingTo, replace, over, without, later, repaired, legs, aggregate, bad, fine } =
    grpcBuilders(ports);
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
    ...grpcSituationsOfThreads(ports),
  ];
}
