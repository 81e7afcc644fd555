import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourceTypes } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { messageType } from '@/server/codec/root';
import { runs } from '@/tests/support/runs';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const url = (name: string) => `type.googleapis.com/${name}`;
const clusterType = url('envoy.config.cluster.v3.Cluster');
const listenerType = url('envoy.config.listener.v3.Listener');
const hcm = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

function roundTrip(typeUrl: string, json: unknown) {
  return codec.decode(typeUrl, codec.encode(typeUrl, json));
}

function anyOf(typeUrl: string, value: Uint8Array): object {
  return { type_url: typeUrl, value };
}

/** A listener whose HTTP filters are the given Any messages, as bytes. */
function listenerWithFilters(...filters: object[]): Uint8Array {
  const manager = messageType(hcm)
    .encode({
      statPrefix: 'in',
      httpFilters: filters.map((typedConfig, i) => ({ name: `f${i}`, typedConfig })),
    })
    .finish();
  return messageType('envoy.config.listener.v3.Listener')
    .encode({ name: 'l', apiListener: { apiListener: anyOf(url(hcm), manager) } })
    .finish();
}

describe('decode() returns proto3 JSON', () => {
  it('in the order of the .proto file, without defaults', () => {
    const { json } = roundTrip(clusterType, {
      type: 'STATIC',
      connect_timeout: '0.25s',
      name: 'a',
      lbPolicy: 'ROUND_ROBIN',
      dnsLookupFamily: 'V4_ONLY',
    });
    // `type` is in a oneof, so that its default is written.
    expect(JSON.stringify(json)).toBe(
      '{"name":"a","type":"STATIC","connectTimeout":"0.250s","dnsLookupFamily":"V4_ONLY"}',
    );
  });

  it('with exact 64-bit integers', () => {
    const type = url('google.protobuf.UInt64Value');
    expect(roundTrip(type, '18446744073709551615').json).toEqual('18446744073709551615');
    expect(roundTrip(url('google.protobuf.Int64Value'), '-9223372036854775808').json).toBe(
      '-9223372036854775808',
    );
  });

  it('with keys such as __proto__', () => {
    const layer = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const { json } = roundTrip(url('envoy.service.runtime.v3.Runtime'), { name: 'r', layer });
    expect(JSON.stringify(json)).toBe('{"name":"r","layer":{"__proto__":{"polluted":true},"constructor":1}}');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('decode() never throws', () => {
  it('keeps an Any of an unknown type as bytes in its place', () => {
    const { json, opaque } = codec.decode(
      listenerType,
      listenerWithFilters(
        anyOf(url('acme.Filter'), Buffer.from('abc')),
        anyOf(url('envoy.extensions.filters.http.router.v3.Router'), Buffer.alloc(0)),
      ),
    );
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    const reason = 'the type "type.googleapis.com/acme.Filter" is not in xdscope\'s protos';
    expect(json).toEqual({
      name: 'l',
      apiListener: {
        apiListener: {
          '@type': url(hcm),
          statPrefix: 'in',
          httpFilters: [
            {
              name: 'f0',
              typedConfig: {
                '@type': url('acme.Filter'),
                'xdscope.opaque': { reason, sizeBytes: 3, sha256, valueBase64: 'YWJj' },
              },
            },
            { name: 'f1', typedConfig: { '@type': url('envoy.extensions.filters.http.router.v3.Router') } },
          ],
        },
      },
    });
    expect(opaque).toEqual([
      {
        path: 'apiListener.apiListener.httpFilters[0].typedConfig',
        typeUrl: url('acme.Filter'),
        sizeBytes: 3,
        hash: sha256,
        reason,
      },
    ]);
  });

  it('keeps an Any whose value is malformed as bytes in its place', () => {
    const { opaque } = codec.decode(
      listenerType,
      listenerWithFilters(anyOf(url('envoy.extensions.filters.http.router.v3.Router'), Buffer.from([0xff]))),
    );
    expect(opaque).toMatchObject([{ reason: expect.stringMatching(/^not a valid Router: /) }]);
  });

  it('does not match a type by the last parts of its name', () => {
    expect(codec.decode(url('acme.v3.Cluster'), Buffer.from([0x0a, 1, 0x61])).opaque).toHaveLength(1);
    expect(codec.decode('Cluster', Buffer.from([0x0a, 1, 0x61])).opaque).toHaveLength(1);
    expect(
      codec.decode(listenerType, listenerWithFilters(anyOf('type.googleapis.com/Router', Buffer.alloc(0))))
        .opaque,
    ).toHaveLength(1);
  });

  it('replaces invalid UTF-8 in texts', () => {
    const { json, opaque } = codec.decode(clusterType, Buffer.from([0x0a, 2, 0x61, 0xff]));
    expect(json).toEqual({ name: 'a\ufffd' });
    expect(opaque).toMatchObject([
      { path: '', reason: 'text that is not UTF-8 is shown with replacement characters' },
    ]);
  });

  it('writes a value without a proto3 JSON form as its fields', () => {
    const bytes = messageType('envoy.config.cluster.v3.Cluster')
      .encode({ name: 'a', connectTimeout: { seconds: 400_000_000_000 }, cleanupInterval: { seconds: 1 } })
      .finish();
    const { json, opaque } = codec.decode(clusterType, bytes);
    expect(json).toEqual({ name: 'a', connectTimeout: { seconds: '400000000000' }, cleanupInterval: '1s' });
    expect(opaque).toMatchObject([{ path: 'connectTimeout', typeUrl: 'google.protobuf.Duration' }]);
  });

  it('keeps a malformed resource, or one of an unknown type, as bytes', () => {
    expect(codec.decode(clusterType, Buffer.from([0xff])).json).toMatchObject({
      '@type': clusterType,
      'xdscope.opaque': { valueBase64: '/w==' },
    });
    expect(codec.decode('', Buffer.from('x')).json).toMatchObject({ '@type': '' });
  });

  it('handles unlimited nesting', () => {
    let value = messageType('google.protobuf.StringValue').encode({ value: 'x' }).finish();
    let type = 'google.protobuf.StringValue';
    for (let depth = 0; depth < 500; depth++) {
      value = messageType('google.protobuf.Any')
        .encode(anyOf(url(type), value))
        .finish();
      type = 'google.protobuf.Any';
    }
    const { opaque } = codec.decode(url(type), value);
    expect(opaque.length).toBeGreaterThan(0);
    expect(() => codec.sanitizeBody(url(type), value)).not.toThrow();
  });

  it('handles any bytes, as sanitizeBody() does', () => {
    const types = fc.constantFrom(...resourceTypes.map(({ typeUrl }) => typeUrl));
    fc.assert(
      fc.property(types, fc.uint8Array({ maxLength: 200 }), (typeUrl, bytes) => {
        codec.decode(typeUrl, bytes);
        codec.sanitizeBody(typeUrl, bytes);
        codec.nameOf(typeUrl, bytes);
      }),
      { numRuns: runs(500) },
    );
  });

  it('handles a real resource with any byte changed', () => {
    const whole = listenerWithFilters(anyOf(url('acme.Filter'), Buffer.from('abc')));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (index, byte) => {
        const bytes = Buffer.from(whole);
        bytes[index] = byte;
        codec.decode(listenerType, bytes);
        codec.sanitizeBody(listenerType, bytes);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('encode() reports the expected and the actual value', () => {
  it.each<[string, unknown, RegExp]>([
    [clusterType, { nme: 'a' }, /Cluster: nme: Cluster has no field "nme"/],
    [clusterType, { name: 5 }, /Cluster: name: expected text, got 5/],
    [clusterType, [], /Cluster: expected an object \(Cluster\), got \[\]/],
    [clusterType, null, /expected an object \(Cluster\), got null/],
    [clusterType, { connectTimeout: '5' }, /connectTimeout: expected a duration such as "1.5s", got "5"/],
    [url('acme.Thing'), {}, /expected one of xdscope's protos, got ".*acme\.Thing"/],
    [
      listenerType,
      { apiListener: { apiListener: { '@type': url('acme.Thing') } } },
      /Listener: apiListener\.apiListener: the type ".*acme\.Thing" is not in xdscope's protos/,
    ],
  ])('%s %j', (typeUrl, json, message) => {
    expect(() => codec.encode(typeUrl, json)).toThrow(message);
  });
});

describe('nameOf', () => {
  it.each(resourceTypes.map(({ typeUrl, service }) => [service, typeUrl]))('%s', (service, typeUrl) => {
    const field = service === 'EDS' ? 'clusterName' : 'name';
    expect(codec.nameOf(typeUrl, codec.encode(typeUrl, { [field]: 'näme' }))).toBe('näme');
  });

  it('is undefined for a resource without a name', () => {
    expect(codec.nameOf(clusterType, Buffer.alloc(0))).toBeUndefined();
    expect(codec.nameOf(clusterType, Buffer.from([0xff, 0xff]))).toBeUndefined();
    expect(codec.nameOf(clusterType, Buffer.from([0x0a, 9, 0x61]))).toBeUndefined();
  });
});
