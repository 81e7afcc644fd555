import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { clusterColumns, clusterDetail } from '@/app/_views/resolved/cluster-columns';
import { ClusterPriorities } from '@/app/_views/resolved/cluster-priorities';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolverOver } from '../../../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../../support/builders/topology-mesh';

const rejected: MeshResource = {
  ...edsCluster('rejected'),
  body: undefined,
  clientStatus: 'NACKED',
  errorState: { details: 'lb_policy: MAGLEV', versionInfo: '2', lastUpdateAttempt: null, failedHash: null },
};
const resolver = resolverOver([
  apiListener('shop', { rds: 'routes' }),
  routeConfig('routes', { '/cart': 'cart', '/rejected': 'rejected' }),
  edsCluster('cart'),
  endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80 UNHEALTHY', '10.0.0.3:80'] }]),
  rejected,
]);
function findCluster(cluster: string, mostEndpoints = 100) {
  const page = { offset: 0, limit: 1, find: '', cluster, endpoints: mostEndpoints };
  const [found] = buildResolved(resolver, 'core-1.56', page).clusters.items;
  if (found === undefined) throw new Error(`expected the cluster "${cluster}"`);
  return found;
}
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the parts of a cluster', () => {
  it('shows each endpoint with its health, and why one is ignored', () => {
    const text = textOf(renderToStaticMarkup(<ClusterPriorities cluster={findCluster('cart')} />));
    expect(text).toContain('2 of 3 endpoints usable');
    expect(text).toMatch(/10\.0\.0\.2:80 ignored [^0-9]*UNHEALTHY[^0-9]* unhealthy/i);
    expect(text.match(/ignored/g)).toHaveLength(1);
  });

  it('shows the number of endpoints not listed', () => {
    const text = textOf(renderToStaticMarkup(<ClusterPriorities cluster={findCluster('cart', 1)} />));
    expect(text).toContain('and 2 endpoints more');
  });

  it('shows why RPCs fail in a row of its own, only if they fail', () => {
    expect(clusterDetail(findCluster('cart'))).toBeNull();
    expect(renderToStaticMarkup(clusterDetail(findCluster('rejected')))).toContain('MAGLEV');
  });

  it('counts usable endpoints, and shows unknown instead of zero', () => {
    const cellOf = (name: string, column: string) =>
      textOf(
        renderToStaticMarkup(clusterColumns.find(({ id }) => id === column)?.cell(findCluster(name))),
      ).trim();
    expect(cellOf('cart', 'endpoints')).toBe('2 / 3');
    expect(cellOf('rejected', 'endpoints')).toContain('unknown');
    expect(cellOf('rejected', 'status')).toBe('fails');
  });
});
