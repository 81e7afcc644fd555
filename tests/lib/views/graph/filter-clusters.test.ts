import { expect, it } from 'vitest';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { LDS } from '@/lib/xds/resource-type';
import { edsCluster, type MeshResource, topologyInput } from '../../../support/builders/topology-mesh';

it('the clusters of the routes of a Redis proxy are drawn as those of a listener', () => {
  const type = 'type.googleapis.com/envoy.extensions.filters.network.redis_proxy.v3.RedisProxy';
  const prefixRoutes = {
    routes: [{ prefix: 'user:', cluster: 'cache' }],
    catchAllRoute: { cluster: 'rest' },
  };
  const filter = {
    name: 'envoy.filters.network.redis_proxy',
    typedConfig: { '@type': type, statPrefix: 'redis', prefixRoutes },
  };
  const listener: MeshResource = {
    ...{ typeUrl: LDS.typeUrl, name: 'redis' },
    body: {
      name: 'redis',
      address: { socketAddress: { address: '0.0.0.0', portValue: 6379 } },
      filterChains: [{ filters: [filter] }],
    },
  };
  const { edges } = buildTopology(topologyInput([listener, edsCluster('cache'), edsCluster('rest')]));
  const own = edges.filter(({ source }) => source === 'listener:redis');
  expect(own.map(({ target, label }) => [target, label]).sort()).toEqual([
    ['cluster:cache', 'redis_proxy'],
    ['cluster:rest', 'redis_proxy'],
  ]);
});
