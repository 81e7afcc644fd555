import { describe, expect, it } from 'vitest';
import { buildResolved, type ResolvedPage } from '@/lib/views/resolved/build-resolved';
import { resolverOver } from '../../../support/builders/resolve-mesh';
import { apiListener, edsCluster, endpoints, routeConfig } from '../../../support/builders/topology-mesh';

const resolver = resolverOver([
  apiListener('shop', { rds: 'routes' }),
  routeConfig('routes', { '/cart': 'cart', '/cart-next': 'cart-next', '/gone': 'gone' }),
  edsCluster('cart'),
  edsCluster('cart-next'),
  endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'] }]),
]);
const pageOf = (page: Partial<ResolvedPage>) =>
  buildResolved(resolver, 'core-1.56', { offset: 0, limit: 200, find: '', endpoints: 100, ...page }).clusters;
const namesOf = (page: Partial<ResolvedPage>) => pageOf(page).items.map(({ name }) => name);

describe('buildResolved', () => {
  it('lists one cluster by its whole name, and others by a part of it', () => {
    expect(namesOf({ cluster: 'cart' })).toEqual(['cart']);
    expect(namesOf({ find: 'cart' })).toEqual(['cart', 'cart-next']);
    expect(pageOf({ cluster: 'car' })).toMatchObject({ total: 0, items: [] });
  });

  it('lists the clusters of one status, while the counts by status stay whole', () => {
    const waiting = pageOf({ status: 'waiting', limit: 1 });
    expect(waiting).toMatchObject({ total: 2, byStatus: { ok: 1, waiting: 2 } });
    expect(waiting.items.map(({ name }) => name)).toEqual(['cart-next']);
    expect(namesOf({ status: 'waiting', offset: 1 })).toEqual(['gone']);
  });

  it('limits the listed endpoints, and counts all', () => {
    const [cart] = pageOf({ cluster: 'cart', endpoints: 2 }).items;
    expect(cart?.use.endpoints).toBe(3);
    expect(cart?.priorities[0]?.localities[0]).toMatchObject({ endpointsTotal: 3 });
    expect(cart?.priorities[0]?.localities[0]?.endpoints.map(({ address }) => address)).toEqual([
      '10.0.0.1:80',
      '10.0.0.2:80',
    ]);
  });
});
