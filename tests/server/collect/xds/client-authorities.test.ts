import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import type { ManagementServer } from '@/server/lab/management-server/management-server';
import { clusterOf, endpointsOf, listenerOf, routeOf } from '../../../support/builders/xds-wire';
import {
  authorityAt,
  ClientStories,
  listeners,
  only,
  rowsOf,
  serverAt,
} from '../../../support/xds-client-story';
import { probeNodeId, resourceOf, until } from '../../../support/xds-probe-story';

const nameOf = (authority: string, type: string, id: string) =>
  `xdstp://${authority}/envoy.config.${type}/${id}`;

describe('a client with authorities (gRFC A47)', () => {
  let stories: ClientStories;
  let top: { server: ManagementServer; target: string };
  let shop: { server: ManagementServer; target: string };

  beforeEach(async () => {
    stories = new ClientStories();
    top = await stories.server();
    shop = await stories.server();
  });
  afterEach(() => stories.close());

  const namesRequested = (server: ManagementServer): Set<string> => {
    const names = new Set<string>();
    server.onRequest(({ resourceNames }) => {
      for (const name of resourceNames) names.add(name);
    });
    return names;
  };

  test('requests a name from the servers of its authority, and old-style names from the top-level servers', async () => {
    // 1. An old-style listener references a cluster of an authority, whose endpoints have an old-style name.
    const cluster = nameOf('shop', 'cluster.v3.Cluster', 'cart');
    top.server.setResources('*', [
      resourceOf('web', listenerOf('web', 'routes')),
      resourceOf('routes', routeOf('routes', cluster)),
      resourceOf('cart-endpoints', endpointsOf('cart-endpoints')),
    ]);
    shop.server.setResources('*', [resourceOf(cluster, clusterOf(cluster, 'cart-endpoints'))]);
    const requested = { top: namesRequested(top.server), shop: namesRequested(shop.server) };
    const story = stories.start(top.target, {
      interest: listeners('web'),
      authorities: new Map([['shop', authorityAt(serverAt(shop.target))]]),
    });
    // 2. Each server has received the names of its authority.
    await until(() => expect(rowsOf(story.reported).get('cart-endpoints')?.clientStatus).toBe('ACKED'));
    expect(rowsOf(story.reported).get(cluster)?.clientStatus).toBe('ACKED');
    expect([...requested.top].sort()).toEqual(['cart-endpoints', 'routes', 'web']);
    expect([...requested.shop]).toEqual([cluster]);
    const opened = story.of('stream-opened');
    expect(opened.map(({ server }) => server)).toEqual([top.target, shop.target]);
    expect(opened.map(({ cacheEmpty }) => cacheEmpty)).toEqual([true, undefined]);
    // 3. Without references to the authority, its server is disconnected.
    top.server.setResource('*', resourceOf('routes', routeOf('routes')));
    await until(() => expect(shop.server.connectedNodes()).toEqual([]));
    expect([...rowsOf(story.reported).keys()].sort()).toEqual(['routes', 'web']);
    expect(top.server.connectedNodes()).toEqual([probeNodeId]);
  });

  test('shares one stream between authorities that have the same server', async () => {
    const [cart, pay] = [nameOf('a', 'cluster.v3.Cluster', 'cart'), nameOf('b', 'cluster.v3.Cluster', 'pay')];
    top.server.setResources('*', [
      resourceOf(cart, clusterOf(cart, 'x')),
      resourceOf(pay, clusterOf(pay, 'y')),
    ]);
    const same = authorityAt(serverAt(top.target));
    const story = stories.start(top.target, {
      interest: only(CDS.typeUrl, cart, pay),
      authorities: new Map([
        ['a', same],
        ['b', same],
      ]),
    });
    await until(() => expect(rowsOf(story.reported).get(pay)?.clientStatus).toBe('ACKED'));
    expect(rowsOf(story.reported).get(cart)?.clientStatus).toBe('ACKED');
    expect(story.of('stream-opened')).toHaveLength(1);
    // The deletion of one does not affect the resource of the other authority.
    top.server.removeResource('*', CDS.typeUrl, cart);
    await until(() => expect(rowsOf(story.reported).get(cart)?.clientStatus).toBe('DOES_NOT_EXIST'));
    expect(rowsOf(story.reported).get(pay)?.clientStatus).toBe('ACKED');
  });

  test('rejects names without an authority in the bootstrap, and sends no request', async () => {
    const name = nameOf('nowhere', 'listener.v3.Listener', 'web');
    const wrongType = nameOf('shop', 'cluster.v3.Cluster', 'cart');
    const requested = { top: namesRequested(top.server), shop: namesRequested(shop.server) };
    const story = stories.start(top.target, {
      interest: listeners(name, wrongType),
      authorities: new Map([['shop', authorityAt(serverAt(shop.target))]]),
    });
    const { changed, reason } = await story.nth('cache-changed', 1);
    expect(reason).toContain('without a server');
    expect(changed.map((row) => [row.name, row.typeUrl, row.clientStatus, row.errorState?.details])).toEqual([
      [name, LDS.typeUrl, 'DOES_NOT_EXIST', expect.stringMatching(/authority .*\(shop\), got "nowhere"/)],
      [
        wrongType,
        LDS.typeUrl,
        'DOES_NOT_EXIST',
        expect.stringContaining('envoy.config.listener.v3.Listener'),
      ],
    ]);
    expect([...requested.top, ...requested.shop]).toEqual([]);
  });

  test('normalises names', async () => {
    const wanted = nameOf('shop', 'endpoint.v3.ClusterLoadAssignment', 'cart?b=2&a=1');
    const sent = nameOf('shop', 'endpoint.v3.ClusterLoadAssignment', 'cart?a=1&b=2');
    shop.server.setResources('*', [resourceOf(sent, endpointsOf(sent))]);
    const story = stories.start(top.target, {
      interest: only(EDS.typeUrl, wanted),
      authorities: new Map([['shop', authorityAt(serverAt(shop.target))]]),
    });
    await until(() => expect(rowsOf(story.reported).get(sent)?.clientStatus).toBe('ACKED'));
    expect(rowsOf(story.reported).size).toBe(1);
  });
});
