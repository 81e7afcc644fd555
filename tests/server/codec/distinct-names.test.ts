import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LDS, RDS } from '@/lib/xds/resource-type';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { readDocument } from '@/server/collect/envoy-admin/read-document';
import { corpusDir } from '../../support/builders/codec-corpus';

const marker = createRedactionMarker(Buffer.from('tests'));
const dumpType = (name: string) => `type.googleapis.com/envoy.admin.v3.${name}ConfigDump`;

/** `domain` is the content, `second` the time of the last change. */
function route(name: string | undefined, domain: string, second: number) {
  const type = 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration';
  const config = { '@type': type, ...(name && { name }), virtual_hosts: [{ name: 'v', domains: [domain] }] };
  return { route_config: config, last_updated: `2026-11-22T22:57:0${second}Z` };
}

function listener(port: number) {
  const type = 'type.googleapis.com/envoy.config.listener.v3.Listener';
  const address = { socket_address: { address: '0.0.0.0', port_value: port } };
  return { listener: { '@type': type, address }, last_updated: '2026-11-22T22:57:00Z' };
}

function namesIn(configs: readonly object[], typeUrl: string): Map<string, string | null> {
  const { rows, problems } = readDocument('config_dump', Buffer.from(JSON.stringify({ configs })), marker);
  expect(problems).toEqual([]);
  return new Map(rows.filter((row) => row.typeUrl === typeUrl).map(({ name, hash }) => [name, hash]));
}

const routesOf = (...routes: readonly object[]) =>
  namesIn([{ '@type': dumpType('Routes'), static_route_configs: routes }], RDS.typeUrl);

describe('resources of an Envoy without a name or with equal names', () => {
  const [first, second] = [route(undefined, 'a', 1), route(undefined, 'b', 2)];
  const equal = [route('local_route', 'a', 1), route('local_route', 'a', 3), route('local_route', 'c', 2)];

  it('have rows of their own, of which the first one keeps its name', () => {
    const names = [...routesOf(first, second, ...equal, route('other', 'a', 1)).keys()];
    expect(names.sort()).toEqual([
      '',
      '(empty name) (duplicate 2)',
      'local_route',
      'local_route (duplicate 2)',
      'local_route (duplicate 3)',
      'other',
    ]);
  });

  it('have the same rows in whatever order a dump lists them, and after an addition', () => {
    const all = [first, second, ...equal];
    const rows = routesOf(...all);
    expect(routesOf(...all.toReversed())).toEqual(rows);
    expect(routesOf(route('local_route', 'd', 9), ...all)).toEqual(
      new Map([...rows, ['local_route (duplicate 4)', expect.any(String)]]),
    );
  });

  it('leave a resource that is really called "x (duplicate 2)" its name', () => {
    const real = route('local_route (duplicate 2)', 'real', 1);
    const alone = routesOf(real, route('local_route', 'a', 2));
    expect([...alone.keys()]).toEqual(['local_route (duplicate 2)', 'local_route']);
    for (const all of [
      [real, ...equal],
      [...equal, real],
    ]) {
      const rows = routesOf(...all);
      expect([...rows.keys()].sort()).toEqual([
        'local_route',
        'local_route (duplicate 2)',
        'local_route (duplicate 3)',
        'local_route (duplicate 4)',
      ]);
      expect(rows.get('local_route (duplicate 2)')).toBe(alone.get('local_route (duplicate 2)'));
    }
  });

  it('are counted once if the bootstrap has them as well', () => {
    const [a, b] = [listener(1), listener(2)];
    const listeners = { '@type': dumpType('Listeners'), static_listeners: [a, b] };
    const own = [a, b].map(({ listener: { '@type': _, ...rest } }) => rest);
    const bootstrap = { '@type': dumpType('Bootstrap'), bootstrap: { static_resources: { listeners: own } } };
    expect([...namesIn([bootstrap, listeners], LDS.typeUrl).keys()]).toEqual([
      '',
      '(empty name) (duplicate 2)',
    ]);
  });
});

const captured = path.join(corpusDir, 'captures', 'istio', 'envoy', 'cart-1.config_dump.json.gz');

it.skipIf(!existsSync(captured))(
  'a sidecar of Istio has two route configs without a name (skipped without ../shared/corpus)',
  () => {
    const { rows } = readDocument('config_dump', gunzipSync(readFileSync(captured)), marker);
    const inline = rows.filter(({ typeUrl, isStatic }) => typeUrl === RDS.typeUrl && isStatic);
    expect(inline.map(({ name }) => name).sort()).toEqual([
      '',
      '(empty name) (duplicate 2)',
      'InboundPassthroughCluster',
      'inbound|8080||',
    ]);
  },
);
