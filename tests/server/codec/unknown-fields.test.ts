import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { messageType } from '@/server/codec/root';
import { anyMessageBytes, randomMessage, wireField } from '@/tests/support/builders/random-message';
import { runs } from '@/tests/support/runs';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const url = (name: string) => `type.googleapis.com/${name}`;
const clusterType = url('envoy.config.cluster.v3.Cluster');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const name = wireField(1, 2, Buffer.from('a'));

function roundTrip(typeUrl: string, bytes: Uint8Array) {
  const decoded = codec.decode(typeUrl, bytes);
  // The JSON passes through text.
  const again = codec.encode(typeUrl, JSON.parse(JSON.stringify(decoded.json)));
  return { ...decoded, again: Buffer.from(again).toString('hex') };
}

describe('fields that a type does not have', () => {
  it('are next to the known fields of their message, and are listed', () => {
    const locality = Buffer.concat([
      wireField(1, 2, Buffer.from('r')),
      wireField(900, 0, Buffer.from([0x96, 1])),
    ]);
    const lbEndpoints = wireField(1, 2, locality);
    const bytes = Buffer.concat([name, wireField(2, 2, lbEndpoints), wireField(5000, 2, Buffer.from('new'))]);
    const typeUrl = url('envoy.config.endpoint.v3.ClusterLoadAssignment');
    const { json, unknown, opaque, again } = roundTrip(typeUrl, bytes);
    expect(json).toEqual({
      clusterName: 'a',
      endpoints: [
        {
          locality: {
            region: 'r',
            'xdscope.unknown': [{ field: 900, wireType: 'varint', sizeBytes: 2, value: '150' }],
          },
        },
      ],
      'xdscope.unknown': [{ field: 5000, wireType: 'bytes', sizeBytes: 3, valueBase64: 'bmV3' }],
    });
    expect(unknown).toEqual([
      {
        path: 'endpoints[0].locality',
        field: 900,
        wireType: 'varint',
        sizeBytes: 2,
        hash: sha256(Buffer.from([0x96, 1])),
      },
      { path: '', field: 5000, wireType: 'bytes', sizeBytes: 3, hash: sha256(Buffer.from('new')) },
    ]);
    expect(opaque).toEqual([]);
    expect(again).toBe(bytes.toString('hex'));
  });

  it.each<[string, Buffer]>([
    ['at the end', Buffer.concat([name, wireField(9, 5, Buffer.from([1, 0, 0, 0]))])],
    ['before known ones', Buffer.concat([wireField(999, 1, Buffer.alloc(8, 7)), name])],
    [
      'between known ones',
      Buffer.concat([name, wireField(7, 0, Buffer.from([1])), wireField(28, 2, Buffer.from('x'))]),
    ],
    ['in a row', Buffer.concat([wireField(7, 0, Buffer.from([1])), wireField(9, 0, Buffer.from([2])), name])],
    ['twice', Buffer.concat([name, wireField(9, 0, Buffer.from([2])), wireField(9, 0, Buffer.from([1]))])],
    ['with a known number of another wire type', Buffer.concat([name, wireField(1, 0, Buffer.from([5]))])],
    ['as a group', Buffer.concat([name, Buffer.from([0xa3, 0x38, 0x08, 0x01, 0xa4, 0x38])])],
    ['in more bytes than are needed', Buffer.concat([name, wireField(900, 0, Buffer.from([0x81, 0x80, 0]))])],
    ['with the largest number', Buffer.concat([name, wireField(0x1fffffff, 2, Buffer.from('x'))])],
    [
      'of 600 in a row',
      Buffer.concat([
        name,
        ...Array.from({ length: 600 }, (_, i) => wireField(900 + i, 0, Buffer.from([1]))),
      ]),
    ],
  ])('encode to their bytes: %s', (_, bytes) => {
    const { unknown, again } = roundTrip(clusterType, bytes);
    expect(unknown.length).toBeGreaterThan(0);
    expect(again).toBe(bytes.toString('hex'));
  });

  it.each<[string, Buffer]>([
    ['google.protobuf.Duration', wireField(1, 0, Buffer.from([5]))],
    ['google.protobuf.StringValue', wireField(1, 2, Buffer.from('x'))],
    ['google.protobuf.Any', wireField(1, 2, Buffer.from(url('google.protobuf.Empty')))],
    [
      'google.protobuf.Struct',
      wireField(
        1,
        2,
        Buffer.concat([
          wireField(1, 2, Buffer.from('k')),
          wireField(2, 2, wireField(4, 0, Buffer.from([1]))),
        ]),
      ),
    ],
    ['google.protobuf.ListValue', wireField(1, 2, wireField(4, 0, Buffer.from([1])))],
    ['google.protobuf.Value', wireField(3, 2, Buffer.from('x'))],
    ['google.protobuf.FieldMask', wireField(1, 2, Buffer.from('a,b'))],
  ])('are kept in %s, which has a special JSON form', (type, known) => {
    const bytes = Buffer.concat([known, wireField(99, 0, Buffer.from([1]))]);
    const { unknown, again } = roundTrip(url(type), bytes);
    expect(unknown).toMatchObject([{ field: 99 }]);
    expect(again).toBe(bytes.toString('hex'));
  });

  it.each([
    ['a Value without a kind', 'google.protobuf.Value', ''],
    ['a number that JSON has not', 'google.protobuf.Value', '11000000000000f07f'],
    [
      'a Struct with our own key',
      'google.protobuf.Struct',
      Buffer.concat([
        wireField(
          1,
          2,
          Buffer.concat([
            wireField(1, 2, Buffer.from('xdscope.plain')),
            wireField(2, 2, wireField(3, 2, Buffer.from('Value'))),
          ]),
        ),
      ]).toString('hex'),
    ],
    ['a Duration that is too long', 'google.protobuf.Duration', '0880e0a59ec5f402'],
    ['an Any without a type', 'google.protobuf.Any', '12016b'],
  ])('so is %s', (_, type, hex) => {
    expect(roundTrip(url(type), Buffer.from(hex, 'hex')).again).toBe(hex);
  });

  it('an Any of an unknown type, and a body of one, encode to their bytes', () => {
    const any = anyMessageBytes(url('acme.Filter'), Buffer.from('abc'));
    const filter = wireField(3, 2, Buffer.concat([wireField(1, 2, Buffer.from('f')), wireField(4, 2, any)]));
    const bytes = Buffer.concat([name, filter]);
    expect(roundTrip(url('envoy.config.listener.v3.Listener'), bytes).again).toBe(bytes.toString('hex'));
    expect(roundTrip(url('acme.Filter'), Buffer.from('abc')).again).toBe('616263');
    expect(roundTrip(clusterType, Buffer.from([0xff])).again).toBe('ff');
  });

  describe('in an entry of a map', () => {
    const key = (text: string) => wireField(1, 2, Buffer.from(text));
    const extra = wireField(3, 0, Buffer.from([1]));
    const later = wireField(99, 2, Buffer.from('new'));
    const value = wireField(2, 2, anyMessageBytes(url('acme.Unknown'), Buffer.from('x')));
    /** typed_extension_protocol_options. */
    const options = (...entries: Buffer[]) =>
      Buffer.concat([name, ...entries.map((entry) => wireField(36, 2, entry))]);

    it('are next to the known fields of the message with the map, and are listed', () => {
      const bytes = options(Buffer.concat([key('k'), value, extra]));
      const { json, unknown, opaque, again } = roundTrip(clusterType, bytes);
      expect(json).toMatchObject({
        typedExtensionProtocolOptions: { k: { '@type': url('acme.Unknown') } },
        'xdscope.unknown': [
          { field: 3, wireType: 'varint', sizeBytes: 1, value: '1', entryOf: { field: 36, key: 'k' } },
        ],
      });
      expect(unknown).toMatchObject([
        { path: 'typedExtensionProtocolOptions["k"]', field: 3, wireType: 'varint', sizeBytes: 1 },
      ]);
      expect(opaque.map(({ typeUrl }) => typeUrl)).toEqual([url('acme.Unknown')]);
      expect(again).toBe(bytes.toString('hex'));
    });

    it.each<[string, Buffer]>([
      [
        'before its key, before its value and at its end',
        options(Buffer.concat([extra, key('k'), later, value, extra])),
      ],
      [
        'of one entry among others',
        options(Buffer.concat([key('a'), value]), Buffer.concat([key('b'), value, later])),
      ],
      ['with a key of any text', options(Buffer.concat([key('__proto__'), value, later]))],
      [
        'with other unknown fields of the message',
        Buffer.concat([
          wireField(999, 0, Buffer.from([5])),
          options(Buffer.concat([key('k'), value, extra])),
          later,
        ]),
      ],
    ])('re-encode to the same bytes: %s', (_where, bytes) => {
      expect(roundTrip(clusterType, bytes).again).toBe(bytes.toString('hex'));
    });

    it('re-encode to the same bytes in a Struct, which has a special JSON form, and in a map with a Struct', () => {
      const struct = wireField(
        1,
        2,
        Buffer.concat([key('x'), wireField(2, 2, wireField(4, 0, Buffer.from([1]))), extra]),
      );
      const metadata = wireField(1, 2, Buffer.concat([key('envoy.lb'), wireField(2, 2, struct), later]));
      const bytes = Buffer.concat([name, wireField(25, 2, metadata)]);
      const { opaque, again } = roundTrip(clusterType, bytes);
      expect(again).toBe(bytes.toString('hex'));
      expect(opaque).toEqual([]);
      const chains = Buffer.concat([wireField(3, 2, name), wireField(3, 2, wireField(5, 2, metadata))]);
      const inList = roundTrip(url('envoy.config.listener.v3.Listener'), chains);
      expect(inList.again).toBe(chains.toString('hex'));
    });

    it('are reported if they cannot be shown, in an entry that a later one replaces', () => {
      const bytes = options(Buffer.concat([key('k'), value, extra]), Buffer.concat([key('k'), value]));
      expect(codec.decode(clusterType, bytes).opaque).toContainEqual(
        expect.objectContaining({ path: '', reason: expect.stringContaining('not all of it is shown') }),
      );
    });

    it('are limited in number', () => {
      const many = Array.from({ length: 3_000 }, () => extra);
      const { json, opaque } = codec.decode(clusterType, options(Buffer.concat([key('k'), value, ...many])));
      expect(JSON.stringify(json).length).toBeLessThan(10_000);
      expect(opaque.some(({ reason }) => reason.includes('not all of it is shown'))).toBe(true);
    });
  });

  it('change the hash', () => {
    const withField = (value: number) =>
      codec.sanitizeBody(clusterType, Buffer.concat([name, wireField(9, 0, Buffer.from([value]))])).body;
    expect(withField(1).hash).not.toBe(withField(2).hash);
    expect(withField(1).hash).not.toBe(codec.sanitizeBody(clusterType, name).body.hash);
    expect(withField(1).bytes).toEqual(Buffer.concat([name, wireField(9, 0, Buffer.from([1]))]));
  });

  it('do not hide secrets behind them', () => {
    const secret = codec.encode(url('envoy.extensions.transport_sockets.tls.v3.Secret'), {
      name: 's',
      genericSecret: { secret: { inlineString: 'CANARY' } },
    });
    const group = Buffer.from([0xa3, 0x38, 0x08, 0x01, 0xa4, 0x38]);
    const { body } = codec.sanitizeBody(
      url('envoy.extensions.transport_sockets.tls.v3.Secret'),
      Buffer.concat([group, secret]),
    );
    expect(Buffer.from(body.bytes).includes('CANARY')).toBe(false);
    expect(Buffer.from(body.bytes).includes(group)).toBe(true);
  });

  it('a redaction marker encodes to its own bytes', () => {
    const typeUrl = url('envoy.extensions.transport_sockets.tls.v3.Secret');
    const { body } = codec.sanitizeBody(
      typeUrl,
      codec.encode(typeUrl, { name: 's', genericSecret: { secret: { inlineBytes: 'Q0FOQVJZ' } } }),
    );
    const { again, redacted } = roundTrip(typeUrl, body.bytes);
    expect(redacted).toEqual(['genericSecret.secret.inlineBytes']);
    expect(again).toBe(Buffer.from(body.bytes).toString('hex'));
  });
});

describe('encode() rejects malformed unknown fields', () => {
  it.each([
    [{}],
    [{ field: 0, wireType: 'varint', value: '1' }],
    [{ field: 1, wireType: 'varint', value: '18446744073709551616' }],
    [{ field: 1, wireType: 'fixed32', value: '4294967296' }],
    [{ field: 1, wireType: 'odd', value: '1' }],
    [{ field: 1, wireType: 'bytes' }],
    [{ field: 5, wireType: 'group', valueBase64: 'CAE=' }],
    [{ field: 5, wireType: 'bytes', rawBase64: 'CgU=' }],
  ])('%j', (item) => {
    expect(() => codec.encode(clusterType, { 'xdscope.unknown': [item] })).toThrow(
      /xdscope\.unknown\[0\]: expected a field number, a wire type and a value/,
    );
  });
});

describe('any message with unknown fields at any depth', () => {
  const types = fc.constantFrom(
    'envoy.config.cluster.v3.Cluster',
    'envoy.config.listener.v3.Listener',
    'envoy.config.route.v3.RouteConfiguration',
    'envoy.config.endpoint.v3.ClusterLoadAssignment',
    'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    'google.protobuf.Struct',
    'envoy.config.core.v3.Node',
  );

  it('encodes to the same bytes', () => {
    fc.assert(
      fc.property(types, fc.integer(), (type, seed) => {
        const bytes = randomMessage(messageType(type), seed);
        const { again } = roundTrip(url(type), bytes);
        expect(again).toBe(bytes.toString('hex'));
      }),
      { numRuns: runs(300) },
    );
  });

  it('never throws with any byte changed', () => {
    fc.assert(
      fc.property(types, fc.integer(), fc.nat(), fc.nat(255), (type, seed, at, byte) => {
        const bytes = randomMessage(messageType(type), seed);
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        const { json } = codec.decode(url(type), bytes);
        codec.sanitizeBody(url(type), bytes);
        // The JSON can be encoded, though perhaps to other bytes.
        codec.encode(url(type), json);
      }),
      { numRuns: runs(500) },
    );
  });
});
