import { describe, expect, it } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { messageType } from '@/server/codec/root';
import { namesOfResources } from '@/server/lab/server-checks/resource-names';

const discovery = 'envoy.service.discovery.v3';
const cluster = { '@type': CDS.typeUrl, name: 'cart' };
const endpoints = { '@type': EDS.typeUrl, clusterName: 'cart-endpoints' };

/** Returns the resources of a response as protobufjs decodes it. */
function decode(message: string, resources: unknown[]): unknown[] {
  const type = messageType(`${discovery}.${message}`);
  return type.toObject(type.decode(encodeBody(`${discovery}.${message}`, { resources }))).resources;
}

describe('namesOfResources', () => {
  it('reads names from the resources of state of the world, wrapped or not', () => {
    const wrapped = {
      '@type': `type.googleapis.com/${discovery}.Resource`,
      name: 'wrapped',
      resource: cluster,
    };
    const resources = decode('DiscoveryResponse', [cluster, endpoints, wrapped]);
    expect(namesOfResources(resources, false).names).toEqual(['cart', 'cart-endpoints', 'wrapped']);
  });

  it('reads names and versions from the resources of delta', () => {
    const resources = decode('DeltaDiscoveryResponse', [{ name: 'cart', version: '7', resource: cluster }]);
    expect(namesOfResources(resources, true)).toMatchObject({ names: ['cart'], versions: { cart: '7' } });
  });

  it('has equal contents for equal resources alone', () => {
    const contentOf = (...resources: unknown[]) =>
      namesOfResources(decode('DiscoveryResponse', resources), false).content;
    expect(contentOf(cluster, endpoints)).toBe(contentOf(endpoints, cluster));
    expect(contentOf(cluster)).not.toBe(contentOf({ ...cluster, altStatName: 'other' }));
  });

  it('has an empty name for a resource of an unknown type', () => {
    const unknown = [{ type_url: 'type.googleapis.com/example.Unknown', value: new Uint8Array([1]) }];
    expect(namesOfResources(unknown, false).names).toEqual(['']);
  });
});
