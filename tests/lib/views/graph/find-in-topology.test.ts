import { expect, test } from 'vitest';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { findInTopology } from '@/lib/views/graph/find-in-topology';
import {
  apiListener,
  edsCluster,
  endpoints,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';

const { nodes } = buildTopology(
  topologyInput([
    apiListener('shop', { rds: 'shop-routes' }),
    routeConfig('shop-routes', { '/cart': 'shop-cart', '/pay': 'payments' }),
    { ...edsCluster('shop-cart'), clientStatus: 'NACKED' },
    edsCluster('payments'),
    endpoints('shop-cart', [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY'] }]),
  ]),
);

test.each([
  ['', []],
  ['   ', []],
  ['shop-c', ['cluster:shop-cart']],
  ['"/cart"', ['route-config:shop-routes>default>prefix /cart']],
  ['type=cluster', ['cluster:payments', 'cluster:shop-cart']],
  ['TYPE=CDS status=nacked name~"shop"', ['cluster:shop-cart']],
  ['type=cluster status!=NACKED', ['cluster:payments']],
  ['type=cluster name!~pay', ['cluster:shop-cart']],
  ['name=shop', ['listener:shop']],
  ['status=trouble type=endpoint', ['endpoints:shop-cart>P0>eu / a>10.0.0.2:80']],
  ['status="not there"', []],
  ['type="route configuration"', ['route-config:shop-routes']],
  ['type=RDS resource=shop-routes type!=route type!="virtual host"', ['route-config:shop-routes']],
  ['name~"unfinished', []],
  ['xdstp://x?a=b', []],
])('findInTopology finds %j', (text, ids) => {
  expect(findInTopology(nodes, text)).toEqual(ids);
});
