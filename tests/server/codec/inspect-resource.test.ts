import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { wireField } from '../../support/builders/random-message';
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

  test('masks the text of a private key in any field', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----';
    const { body } = await inspect(CDS.typeUrl, wireField(1, 2, Buffer.from(key)));
    expect(Buffer.from(body.bytes).includes('MIIE')).toBe(false);
  });

  const config = (edsConfig: object, serviceName = 'eds') => ({
    edsClusterConfig: { edsConfig, serviceName },
  });
  test.each<[Record<string, unknown>, string[]]>([
    [{ name: 'a', type: 'EDS' }, ['a']],
    [{ name: 'a', type: 'EDS', ...config({ ads: {} }) }, ['eds']],
    [{ name: 'a', type: 'EDS', ...config({ self: {} }, '') }, ['a']],
    [{ name: 'a', type: 'EDS', ...config({}) }, ['eds']],
    [{ name: 'a', type: 'EDS', ...config({ path: '/etc/eds' }) }, []],
    [{ name: 'a', type: 'EDS', ...config({ pathConfigSource: { path: '/etc/eds' } }) }, []],
    [{ name: 'a', type: 'EDS', ...config({ apiConfigSource: {} }) }, ['eds']],
    [{ name: 'a', type: 'EDS', ...config({ apiConfigSource: { apiType: 'REST' } }) }, ['eds']],
    [{ name: 'a', type: 'STRICT_DNS', ...config({ ads: {} }) }, []],
    [{ name: 'a', clusterType: { name: 'x' }, ...config({ ads: {} }) }, []],
    [{ type: 'EDS' }, []],
  ])('finds the references of the cluster %j: %j', async (cluster, names) => {
    const { references } = await inspect(CDS.typeUrl, packed(CDS.typeUrl, cluster).value);
    expect(references.map(({ name }) => name)).toEqual(names);
  });
});
