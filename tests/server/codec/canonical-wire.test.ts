import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { canonicalWire } from '@/server/codec/canonical-wire';
import { isJsonObject } from '@/server/codec/json/json-object';
import { readJsonMessage } from '@/server/codec/json/json-to-message';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { messageType } from '@/server/codec/root';
import { sanitizeBody } from '@/server/codec/sanitize-body';
import { readDocument } from '@/server/collect/envoy-admin/read-document';
import { corpusDir } from '../../support/builders/codec-corpus';
import { wireField } from '../../support/builders/random-message';

const marker = createRedactionMarker(Buffer.from('tests'));

function encode(typeUrl: string, json: object): Uint8Array {
  const type = messageType(typeUrl.slice(typeUrl.indexOf('/') + 1));
  const { message, problems } = readJsonMessage(type, json, '');
  expect(problems).toEqual([]);
  return type.encode(message ?? {}).finish();
}

/** The same JSON with the members of each object in reverse order. */
function reversed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(reversed);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .map(([key, value]) => [key, reversed(value)] as const)
      .reverse(),
  );
}

const metadata = {
  filterMetadata: {
    istio: { workload: 'cart;shop', labels: { b: 2, a: { d: 1, c: [{ z: 1, y: 2 }] } } },
    'envoy.transport_socket_match': { tlsMode: 'istio' },
  },
  typedFilterMetadata: {
    two: { '@type': 'type.googleapis.com/google.protobuf.Struct', value: { b: 1, a: 2 } },
    one: { '@type': CDS.typeUrl, name: 'x', metadata: { filterMetadata: { q: { k: 1 }, p: {} } } },
  },
};
const messages: readonly (readonly [string, object])[] = [
  [
    EDS.typeUrl,
    {
      clusterName: 'a',
      endpoints: [{ lbEndpoints: [{ metadata, loadBalancingWeight: 3 }], metadata }],
      namedEndpoints: { b: { hostname: 'b' }, a: { hostname: 'a' } },
    },
  ],
  [
    LDS.typeUrl,
    {
      name: 'l',
      filterChains: [
        {
          filters: [
            {
              name: 'hcm',
              typedConfig: {
                '@type':
                  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                routeConfig: {
                  virtualHosts: [
                    {
                      name: 'v',
                      domains: ['*'],
                      routes: [{ match: { prefix: '/' }, metadata, directResponse: {} }],
                    },
                  ],
                },
              },
            },
          ],
        },
      ],
    },
  ],
];

describe('the content of a resource', () => {
  it.each(messages)('of %s is equal whatever the order of its maps', (typeUrl, json) => {
    const [one, other] = [json, reversed(json) as object].map((each) => encode(typeUrl, each));
    expect(Buffer.from(one ?? []).equals(other ?? new Uint8Array())).toBe(false);
    const [a, b] = [one, other].map((bytes) => sanitizeBody(typeUrl, bytes ?? new Uint8Array(), marker).body);
    expect(a?.hash).toBe(b?.hash);
    // Nothing but the order differs.
    const type = messageType(typeUrl.slice(typeUrl.indexOf('/') + 1));
    const objectOf = (bytes: Uint8Array = new Uint8Array()) => type.decode(bytes).toJSON();
    expect(b?.bytes.length).toBe(other?.length);
    expect(Object.keys(objectOf(a?.bytes))).toEqual(Object.keys(objectOf(one)));
    // Canonical bytes are not copied.
    expect(canonicalWire(typeUrl, a?.bytes ?? new Uint8Array())).toBe(a?.bytes);
  });

  const entry = (key: string, hostname: string): Buffer =>
    wireField(
      5,
      2,
      Buffer.concat([
        wireField(1, 2, Buffer.from(key)),
        wireField(2, 2, wireField(3, 2, Buffer.from(hostname))),
      ]),
    );

  it('keeps the order of equal keys, of which the last one counts, and of other fields', () => {
    const name = wireField(1, 2, Buffer.from('x'));
    const policy = wireField(4, 2, Buffer.alloc(0));
    const given = [entry('b', '1'), policy, entry('a', '2'), name, entry('b', '3')];
    const expected = [entry('a', '2'), policy, entry('b', '1'), name, entry('b', '3')];
    expect(Buffer.from(canonicalWire(EDS.typeUrl, Buffer.concat(given)))).toEqual(Buffer.concat(expected));
  });

  it.each([
    ['truncated', Buffer.concat([entry('b', '1'), entry('a', '2').subarray(0, 6)])],
    ['with a group', Buffer.concat([Buffer.of(0x1b, 0x1c), entry('a', '1'), entry('b', '2')])],
    ['no protobuf', Buffer.from([0xff, 0xff, 0xff])],
    ['empty', Buffer.alloc(0)],
  ])('that is %s stays as it is', (_, bytes) => {
    expect(canonicalWire(EDS.typeUrl, bytes)).toBe(bytes);
  });

  it('that is nested without end stays as it is', () => {
    let bytes: Uint8Array = Buffer.alloc(0);
    for (let depth = 0; depth < 3_000; depth++) {
      bytes = protobuf.Writer.create().uint32(10).bytes(bytes).finish();
      if (depth % 3 === 0) bytes = wireField(5, 2, bytes);
    }
    const struct = 'type.googleapis.com/google.protobuf.Struct';
    expect(canonicalWire(struct, bytes)).toBe(bytes);
  });
});

const istio = path.join(corpusDir, 'captures', 'istio', 'envoy');

it.skipIf(!existsSync(istio))(
  'the dumps of one Envoy of Istio have equal endpoints, in another order each time (skipped without ../shared/corpus)',
  () => {
    const read = (file: string) => {
      const dump = readDocument('config_dump', gunzipSync(readFileSync(path.join(istio, file))), marker);
      return dump.rows.filter(({ typeUrl }) => typeUrl === EDS.typeUrl);
    };
    const before = new Map(read('cart-1.config_dump.json.gz').map(({ name, hash }) => [name, hash]));
    const after = read('cart-1.nacked.config_dump.json.gz');
    const both = after.filter(({ name }) => before.has(name));
    expect(both.length).toBeGreaterThan(10);
    expect(both.filter(({ name, hash }) => before.get(name) !== hash)).toEqual([]);
  },
);
