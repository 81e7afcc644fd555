import { describe, expect, it } from 'vitest';
import type { FieldSize } from '@/lib/views/sizes/schema';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { measureFields } from '@/server/codec/measure-fields';
import { messageType } from '@/server/codec/root';
import { randomMessage } from '@/tests/support/builders/random-message';

const total = (fields: readonly FieldSize[]) => fields.reduce((sum, { bytes }) => sum + bytes, 0);
const find = (fields: readonly FieldSize[], ...path: readonly string[]): FieldSize | undefined => {
  const [name, ...rest] = path;
  const found = fields.find((field) => field.name === name);
  return rest.length === 0 ? found : find(found?.parts ?? [], ...rest);
};

function measure(typeUrl: string, json: unknown) {
  const bytes = encodeBody(typeUrl, json);
  const fields = measureFields(typeUrl, bytes);
  expect(total(fields)).toBe(bytes.length);
  return fields;
}

describe('measureFields', () => {
  it('adds up the values of a repeated field and of their fields', () => {
    const endpoint = (portValue: number) => ({
      endpoint: { address: { socketAddress: { address: '10.0.0.1', portValue } } },
    });
    const fields = measure(EDS.typeUrl, {
      clusterName: 'cart',
      endpoints: [{ lbEndpoints: [endpoint(80), endpoint(81)] }, { lbEndpoints: [endpoint(82)] }],
    });
    expect(fields.map(({ name, count }) => [name, count])).toEqual([
      ['endpoints', 2],
      ['clusterName', 1],
    ]);
    const address = find(
      fields,
      'endpoints',
      'lbEndpoints',
      'endpoint',
      'address',
      'socketAddress',
      'address',
    );
    // Tag, length and eight letters, three times.
    expect(address).toMatchObject({ bytes: 3 * 10, count: 3 });
    expect(find(fields, 'endpoints', 'lbEndpoints')).toMatchObject({ count: 3 });
  });

  it('measures the fields of an Any and of the values of a map', () => {
    const fields = measure(LDS.typeUrl, {
      name: 'in',
      apiListener: {
        apiListener: {
          '@type':
            'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
          statPrefix: 'http',
        },
      },
      metadata: { filterMetadata: { a: { x: 1 }, b: { y: 2 } } },
    });
    expect(find(fields, 'apiListener', 'apiListener', 'statPrefix')).toMatchObject({ bytes: 6 });
    expect(find(fields, 'apiListener', 'apiListener', '@type')?.bytes).toBeGreaterThan(80);
    expect(find(fields, 'metadata', 'filterMetadata')).toMatchObject({ count: 2 });
    expect(find(fields, 'metadata', 'filterMetadata', 'fields')).toMatchObject({ count: 2 });
  });

  it('counts unknown and malformed parts as a whole', () => {
    const unknown = Buffer.from([0x0a, 1, 0x61]);
    expect(measureFields('type.googleapis.com/acme.Nothing', unknown)).toMatchObject([
      { name: 'field 1', bytes: 3 },
    ]);
    const broken = Buffer.concat([encodeBody(CDS.typeUrl, { name: 'c' }), Buffer.from([0xff])]);
    expect(total(measureFields(CDS.typeUrl, broken))).toBe(broken.length);
    expect(measureFields(CDS.typeUrl, Buffer.alloc(0))).toEqual([]);
  });

  it('counts every byte of any message', () => {
    for (const typeUrl of [LDS.typeUrl, CDS.typeUrl, EDS.typeUrl]) {
      for (let seed = 1; seed < 40; seed++) {
        const bytes = randomMessage(messageType(typeUrl.slice('type.googleapis.com/'.length)), seed);
        expect(total(measureFields(typeUrl, bytes))).toBe(bytes.length);
      }
    }
  });
});
