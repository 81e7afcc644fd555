import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { checkDescriptorSet } from '@/server/codec/descriptor-sets/check-descriptor-set';
import { setUserTypes } from '@/server/codec/root';
import { acmeFilterSet, descriptorSet, fieldOf, fieldType } from '@/tests/support/builders/descriptor-set';
import { runs } from '@/tests/support/runs';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const filterType = 'type.googleapis.com/acme.v1.Filter';
const filter = {
  filterName: 'f',
  mode: 'ON',
  rules: [{ limit: 7 }],
  upstream: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
};

function check(bytes: Uint8Array) {
  const checked = checkDescriptorSet(bytes);
  if (!checked.ok) throw new Error(checked.reason);
  return checked;
}

function rejection(bytes: Uint8Array): string {
  const checked = checkDescriptorSet(bytes);
  return checked.ok ? 'taken' : checked.reason;
}

afterEach(() => setUserTypes([]));

describe('a descriptor set', () => {
  it('adds types that decode and encode until the set is removed', () => {
    const checked = check(acmeFilterSet);
    expect(checked.files).toEqual(['acme/filter.proto']);
    expect(checked.types.map(({ name }) => name)).toEqual(['acme.v1.Filter', 'acme.v1.Mode']);
    expect(checked.skipped).toEqual([]);
    setUserTypes(checked.types);
    const bytes = codec.encode(filterType, { ...filter, filterName: null, filter_name: 'f' });
    expect(codec.decode(filterType, bytes)).toMatchObject({ json: filter, opaque: [], unknown: [] });
    setUserTypes([]);
    expect(codec.decode(filterType, bytes).opaque).toHaveLength(1);
    setUserTypes(checked.types);
    expect(codec.decode(filterType, bytes).opaque).toEqual([]);
  });

  it('marks the sensitive fields of its types', () => {
    setUserTypes(check(acmeFilterSet).types);
    const { body, redacted } = codec.sanitizeBody(
      filterType,
      codec.encode(filterType, { ...filter, pin: 'CANARY' }),
    );
    expect(redacted).toEqual(['pin']);
    expect(Buffer.from(body.bytes).includes('CANARY')).toBe(false);
  });

  it('does not replace declared types', () => {
    const address = { name: 'address', number: 2, type: fieldType.uint32 };
    const { types, skipped } = check(
      descriptorSet(
        {
          name: 'envoy/type/v3/percent.proto',
          package: 'envoy.type.v3',
          syntax: 'proto3',
          messageType: [{ name: 'Percent', field: [fieldOf({ name: 'value', number: 1, type: 1 })] }],
        },
        {
          name: 'envoy/config/core/v3/address.proto',
          package: 'envoy.config.core.v3',
          syntax: 'proto3',
          messageType: [{ name: 'SocketAddress', field: [fieldOf(address)] }],
        },
        // A message with the name of an Envoy package.
        { name: 'x.proto', syntax: 'proto3', messageType: [{ name: 'envoy' }] },
      ),
    );
    expect(types).toEqual([]);
    expect(skipped).toEqual([
      { name: 'envoy.type.v3.Percent', reason: 'it already exists' },
      {
        name: 'envoy.config.core.v3.SocketAddress',
        reason: 'it already exists with other fields; that one is kept',
      },
      { name: 'envoy', reason: 'it already exists with other fields; that one is kept' },
    ]);
  });

  it('may be of proto2, with groups, required fields and closed enums', () => {
    const typeUrl = 'type.googleapis.com/old.Thing';
    setUserTypes(
      check(
        descriptorSet({
          name: 'old.proto',
          package: 'old',
          enumType: [{ name: 'Color', value: [{ name: 'RED', number: 1 }] }],
          messageType: [
            {
              name: 'Thing',
              field: [
                fieldOf({
                  name: 'part',
                  number: 1,
                  type: fieldType.group,
                  typeName: '.old.Thing.Part',
                  label: 3,
                }),
                fieldOf({ name: 'name', number: 2, type: fieldType.string, label: 2 }),
                fieldOf({ name: 'color', number: 3, type: fieldType.enum, typeName: '.old.Color' }),
              ],
              nestedType: [
                { name: 'Part', field: [fieldOf({ name: 'size', number: 1, type: fieldType.uint32 })] },
              ],
            },
          ],
        }),
      ).types,
    );
    // Group 1 {size: 5}, name "n", color 9.
    const bytes = Buffer.from('0b08050c12016e1809', 'hex');
    const { json, unknown } = codec.decode(typeUrl, bytes);
    expect(json).toMatchObject({ part: [{ size: 5 }], name: 'n' });
    expect(unknown).toMatchObject([{ field: 3 }]);
    expect(Buffer.from(codec.encode(typeUrl, json)).toString('hex')).toBe(bytes.toString('hex'));
    expect(codec.decode(typeUrl, Buffer.alloc(0)).opaque[0]?.reason).toMatch(/missing required/);
  });

  it('may be of an edition', () => {
    const typeUrl = 'type.googleapis.com/new.Thing';
    setUserTypes(
      check(
        descriptorSet({
          name: 'new.proto',
          package: 'new',
          syntax: 'editions',
          edition: 1000,
          messageType: [
            { name: 'Thing', field: [fieldOf({ name: 'size', number: 1, type: fieldType.uint32 })] },
          ],
        }),
      ).types,
    );
    // Fields have presence in an edition, so that an explicit zero is written.
    expect(codec.decode(typeUrl, Buffer.from('0800', 'hex')).json).toEqual({ size: 0 });
  });

  it('may have recursive types and cyclic imports', () => {
    const one = (name: string, other: string) => ({
      name: `${name}.proto`,
      package: 'ring',
      syntax: 'proto3',
      dependency: [`${other}.proto`],
      messageType: [
        {
          name,
          field: [fieldOf({ name: 'next', number: 1, type: fieldType.message, typeName: `.ring.${other}` })],
        },
      ],
    });
    setUserTypes(check(descriptorSet(one('A', 'B'), one('B', 'A'))).types);
    const decoded = codec.decode('type.googleapis.com/ring.A', Buffer.from('0a020a00', 'hex'));
    expect(decoded.json).toEqual({ next: { next: {} } });
  });
});

describe('an invalid descriptor set is rejected with a reason', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /got 0 bytes that name no \.proto file/],
    ['text', Buffer.from('syntax = "proto3";'), /expected a FileDescriptorSet .*got 18 bytes/],
    [
      '16 MB of garbage',
      Buffer.alloc(16 * 1024 * 1024, 0xff),
      /expected a FileDescriptorSet .*that are none/,
    ],
    ['too much', Buffer.alloc(16 * 1024 * 1024 + 1), /expected at most 16777216 bytes/],
    [
      'a set without its imports',
      descriptorSet({
        name: 'a.proto',
        package: 'a',
        syntax: 'proto3',
        dependency: ['b.proto'],
        messageType: [
          {
            name: 'A',
            field: [fieldOf({ name: 'b', number: 1, type: fieldType.message, typeName: '.b.B' })],
          },
        ],
      }),
      /^a\.proto: a\.A\.b is of the type "b\.B", which is in no set; not in the set: b\.proto \(protoc --include_imports\)$/,
    ],
    [
      'a name twice',
      descriptorSet(
        { name: 'a.proto', package: 'a', syntax: 'proto3', messageType: [{ name: 'A' }] },
        { name: 'b.proto', package: 'a', syntax: 'proto3', messageType: [{ name: 'A' }] },
      ),
      /expected a sound set, got: duplicate name/,
    ],
    [
      'a field number twice',
      descriptorSet({
        name: 'a.proto',
        syntax: 'proto3',
        messageType: [
          {
            name: 'A',
            field: [
              fieldOf({ name: 'x', number: 1, type: fieldType.bool }),
              fieldOf({ name: 'y', number: 1, type: fieldType.bool }),
            ],
          },
        ],
      }),
      /expected a sound set, got: duplicate id/,
    ],
    ...[
      { messageType: [{ name: 'A(){}//' }] },
      { messageType: [{ name: '__proto__' }] },
      { package: 'a.constructor', messageType: [{ name: 'A' }] },
      {
        messageType: [
          { name: 'A', field: [fieldOf({ name: '$unknowns', number: 1, type: fieldType.bool })] },
        ],
      },
    ].map((file): [string, Uint8Array, RegExp] => [
      'a name that no compiler lets through',
      descriptorSet({ name: 'a.proto', syntax: 'proto3', ...file }),
      /^a\.proto: expected names as protobuf has them, got /,
    ]),
    ['an unknown edition', descriptorSet({ name: 'a.proto', syntax: 'editions', edition: 99 }), /edition/],
  ])('%s', (_, bytes, reason) => {
    expect(rejection(bytes)).toMatch(reason);
  });

  it('for any bytes', () => {
    fc.assert(
      fc.property(fc.nat(acmeFilterSet.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(acmeFilterSet);
        bytes[at] = byte;
        const checked = checkDescriptorSet(bytes);
        if (!checked.ok) return;
        setUserTypes(checked.types);
        codec.decode(filterType, Buffer.from('0a0166', 'hex'));
        setUserTypes([]);
      }),
      { numRuns: runs(300) },
    );
  });
});
