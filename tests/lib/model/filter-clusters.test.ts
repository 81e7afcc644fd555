import { expect, it } from 'vitest';
import { readFilterClusters } from '@/lib/model/filter-clusters';

it.each([
  [
    'Redis',
    { prefixRoutes: { routes: [{ prefix: 'user:', cluster: 'cache' }], catchAllRoute: { cluster: 'rest' } } },
    ['cache', 'rest'],
  ],
  [
    'Thrift',
    {
      routeConfig: {
        routes: [{ route: { weightedClusters: { clusters: [{ name: 'a' }, { name: 'b' }] } } }],
      },
    },
    ['a', 'b'],
  ],
  ['Dubbo', { routeConfig: [{ routes: [{ route: { cluster: 'users' } }] }] }, ['users']],
  [
    'a filter that calls a service',
    { grpcService: { envoyGrpc: { clusterName: 'authz' }, cluster: 'x' } },
    [],
  ],
  ['a wrong type', { weightedClusters: 'a', cluster: 7 }, []],
])('the clusters of %s', (_, config, clusters) => {
  expect(readFilterClusters(config)).toEqual(clusters);
});
