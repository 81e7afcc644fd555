import { describe, expect, it } from 'vitest';
import type { ExplainRequest } from '@/lib/requests/request';
import { buildExplanation } from '@/lib/views/explain/build-explanation';
import { findRequestPath } from '@/lib/views/explain/request-path';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { newestOf } from '@/lib/xds/profile';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../../support/builders/topology-mesh';
import { explainIn } from '../../explain/explained-mesh';

const mesh: readonly MeshResource[] = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '/shop.Cart/': 'cart', '/shop.All/': 'all', '/shop.Split/': { cart: 80, user: 20 } }),
  edsCluster('cart'),
  edsCluster('user'),
  aggregateCluster('all', ['cart', 'user']),
  endpoints('cart', [
    { zone: 'a', endpoints: ['10.0.0.1:1'] },
    { zone: 'b', endpoints: ['10.0.0.2:1'] },
  ]),
  endpoints('user', [{ zone: 'a', endpoints: ['10.0.0.3:1'] }]),
];
const start = { listener: 'shop' };

function passed(path: string, resources = mesh): string[] {
  const request: ExplainRequest = { method: 'POST', scheme: 'http', authority: 'shop', path, headers: [] };
  const trace = explainIn(resources, request, { client: 'core', start });
  const starts = { starts: [], startsTotal: 0 };
  const explanation = buildExplanation({ trace, opened: { start } }, starts, request, newestOf('core'));
  const graph = buildTopology({ ...topologyInput(resources), isGrpc: true });
  return [...findRequestPath(graph, explanation)].sort();
}

describe('the path of a request in the graph', () => {
  it('leads from the listener by the route that is taken to the endpoints of its cluster', () => {
    expect(passed('/shop.Cart/Add')).toEqual([
      'cluster:cart',
      'endpoints:cart>P0',
      expect.stringMatching(/^endpoints:cart>P0>.*a$/),
      expect.stringMatching(/^endpoints:cart>P0>.*10\.0\.0\.1:1$/),
      expect.stringMatching(/^endpoints:cart>P0>.*b$/),
      expect.stringMatching(/^endpoints:cart>P0>.*10\.0\.0\.2:1$/),
      'listener:shop',
      'route-config:r',
      'route-config:r>default',
      expect.stringMatching(/^route-config:r>default>/),
    ]);
  });

  it('passes the member of an aggregate cluster that receives requests, and no other', () => {
    const path = passed('/shop.All/Get');
    expect(path).toEqual(expect.arrayContaining(['cluster:all', 'cluster:cart']));
    expect(path).not.toContain('cluster:user');
  });

  it('passes each cluster that the weights may choose', () => {
    expect(passed('/shop.Split/Get')).toEqual(expect.arrayContaining(['cluster:cart', 'cluster:user']));
  });

  it('ends at the virtual host if no route matches', () => {
    expect(passed('/other')).toEqual(['listener:shop', 'route-config:r', 'route-config:r>default']);
  });
});
