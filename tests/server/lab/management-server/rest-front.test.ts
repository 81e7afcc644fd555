import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { RestFront, RestFrontOptions } from '@/server/lab/management-server/rest-front';
import { clusterOf, listenerOf } from '../../../support/builders/xds-wire';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { resourceOf, until } from '../../../support/xds-probe-story';

const cart = resourceOf('cart', clusterOf('cart', 'cart-endpoints'));
const books = resourceOf('books', clusterOf('books'));

describe('the REST front of the management server', () => {
  let clock: ManualClock;
  let server: ManagementServer;
  let front: RestFront;
  let base: string;

  beforeEach(() => {
    clock = new ManualClock();
    server = new ManagementServer({ clock });
  });

  afterEach(async () => {
    await front.close();
    await server.close();
  });

  async function listen(options: Omit<RestFrontOptions, 'clock'> = {}): Promise<void> {
    front = server.restFront(options);
    base = `http://${await front.listen()}`;
  }

  function poll(path: string, request: unknown): Promise<Response> {
    return fetch(`${base}${path}`, { method: 'POST', body: JSON.stringify(request) });
  }

  test('answers with all resources of a type, and with 304 while the version is current', async () => {
    server.setResources('*', [cart, books], 'v1');
    await listen();
    const response = await poll('/v3/discovery:clusters', { node: { id: 'n' } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      versionInfo: 'v1',
      typeUrl: CDS.typeUrl,
      controlPlane: { identifier: 'xdscope-lab' },
      resources: [
        { '@type': CDS.typeUrl, name: 'cart', edsClusterConfig: { serviceName: 'cart-endpoints' } },
        { '@type': CDS.typeUrl, name: 'books' },
      ],
    });
    const unchanged = await poll('/v3/discovery:clusters', { versionInfo: 'v1' });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    expect(front.polls.map(({ versionInfo, node }) => [versionInfo, node.id])).toEqual([
      ['', 'n'],
      ['v1', undefined],
    ]);
  });

  test('serves names, and the snapshot of each node', async () => {
    server.setResources('*', [cart, books]);
    server.setResource('n', resourceOf('books', clusterOf('books', 'of n')));
    await listen();
    const response = await poll('/v3/discovery:clusters', {
      node: { id: 'n' },
      resource_names: ['books', 'unknown'],
    });
    expect((await response.json()).resources).toMatchObject([
      { name: 'books', edsClusterConfig: { serviceName: 'of n' } },
    ]);
  });

  test('writes snake_case if configured, also inside Any', async () => {
    server.setResources('*', [resourceOf('shop', listenerOf('shop', 'routes'))], 'v1');
    await listen({ protoNames: true });
    const response = await (await poll('/v3/discovery:listeners', {})).json();
    expect(response).toMatchObject({
      version_info: 'v1',
      type_url: LDS.typeUrl,
      control_plane: { identifier: 'xdscope-lab' },
      resources: [{ name: 'shop', api_listener: { api_listener: { rds: { route_config_name: 'routes' } } } }],
    });
    expect(JSON.stringify(response)).not.toContain('apiListener');
  });

  test('serves v2 on v2 paths', async () => {
    server.setResources('*', [cart], 'v1');
    await listen();
    const response = await (await poll('/v2/discovery:clusters', {})).json();
    expect(response).toMatchObject({
      typeUrl: 'type.googleapis.com/envoy.api.v2.Cluster',
      resources: [{ '@type': 'type.googleapis.com/envoy.api.v2.Cluster', name: 'cart' }],
    });
  });

  test('holds a poll until there is a change or the time is over', async () => {
    server.setResources('*', [cart], 'v1');
    await listen({ longPollMs: 30_000 });
    const held = poll('/v3/discovery:clusters', { versionInfo: 'v1' });
    await until(() => expect(front.polls).toHaveLength(1));
    server.setResources('*', [books], 'v2');
    expect((await (await held).json()).versionInfo).toBe('v2');

    const over = poll('/v3/discovery:clusters', { versionInfo: 'v2' });
    await until(() => expect(front.polls).toHaveLength(2));
    clock.advance(30_000);
    expect((await over).status).toBe(304);
    expect(clock.waiting).toBe(0);
  });

  test('reports requests that it cannot serve', async () => {
    await listen();
    expect((await poll('/v3/discovery:teapots', {})).status).toBe(404);
    expect((await fetch(`${base}/v3/discovery:clusters`)).status).toBe(405);
    const bad = await poll('/v3/discovery:clusters', { versionInfo: 5 });
    expect([bad.status, await bad.text()]).toEqual([
      400,
      expect.stringContaining('expected a DiscoveryRequest'),
    ]);
  });
});
