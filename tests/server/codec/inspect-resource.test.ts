import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { clusterOf, listenerOf, packed } from '../../support/builders/xds-wire';

const codec = createCodec({ redactionKey: new Uint8Array(32) });
afterAll(() => codec.close());

const inspect = (typeUrl: string, bytes: Uint8Array, withReferences = true) =>
  codec.inspect({ typeUrl, bytes }, { withReferences });

describe('codec.inspect', () => {
  test('reports body, verdict and references of a small resource at once', () => {
    const { value } = listenerOf('shop', 'shop-routes');
    expect(inspect(LDS.typeUrl, value)).toEqual({
      body: codec.sanitizeBody(LDS.typeUrl, value).body,
      problem: null,
      references: [expect.objectContaining({ name: 'shop-routes', how: 'rds' })],
    });
  });

  test('finds references only on request', () => {
    expect(inspect(CDS.typeUrl, clusterOf('a', 'eds').value, false)).toMatchObject({ references: [] });
  });

  test('bytes that do not decode have a body and a problem', () => {
    const bytes = Buffer.from('\u000a\u0001a<html>', 'latin1');
    expect(inspect(CDS.typeUrl, bytes)).toMatchObject({
      body: { typeUrl: CDS.typeUrl, hash: expect.any(String) },
      problem: expect.any(String),
      references: [],
    });
  });

  test('the worker inspects a large resource with the same result', async () => {
    const lbEndpoints = Array.from({ length: 8_000 }, (_, index) => ({
      endpoint: {
        hostname: `${index}.${randomBytes(16).toString('hex')}`,
        address: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
      },
    }));
    const { value } = packed(EDS.typeUrl, { clusterName: 'large', endpoints: [{ lbEndpoints }] });
    expect(value.length).toBeGreaterThan(256 * 1024);
    const inspecting = inspect(EDS.typeUrl, value);
    expect(inspecting).toBeInstanceOf(Promise);
    const { body, problem } = await inspecting;
    expect(problem).toBeNull();
    expect(body.hash).toBe(codec.sanitizeBody(EDS.typeUrl, value).body.hash);
    expect(Buffer.from(body.bytes).equals(value)).toBe(true);
  });
});
