import { describe, expect, it } from 'vitest';
import { readNode } from '@/server/collect/xds/settings/read-node';

const usual = { id: 'usual', cluster: '', locality: null, metadata: { app: 'x' } };
const read = (settings: Parameters<typeof readNode>[0]) => readNode(settings, usual, 'settings.');

describe('the node of a probe', () => {
  it.each([
    [
      'istio:cart-1.shop',
      { id: 'sidecar~127.0.0.1~cart-1.shop~shop.svc.cluster.local', metadata: { NAMESPACE: 'shop' } },
    ],
    ['istio:cart-1.shop@10.1.0.7', { id: 'sidecar~10.1.0.7~cart-1.shop~shop.svc.cluster.local' }],
    ['istio:cart-1.shop@::1', { id: 'sidecar~::1~cart-1.shop~shop.svc.cluster.local' }],
    ['istio-grpc:cart-1.shop', { metadata: { NAMESPACE: 'shop', GENERATOR: 'grpc' } }],
    ['envoy-gateway:default/eg', { id: 'usual', cluster: 'default/eg', metadata: { app: 'x' } }],
  ])('of preset %s', (nodePreset, expected) => {
    expect(read({ nodePreset })).toMatchObject(expected);
  });

  it.each([
    'istio',
    'istio:cart',
    'istio:cart.shop@nowhere',
    'istio:~.shop',
    'linkerd:a.b',
    'envoy-gateway:eg',
    'istio-x:a.b',
  ])('rejects preset %s', (nodePreset) => {
    expect(() => read({ nodePreset })).toThrow(
      `settings.nodePreset: expected istio:NAME.NAMESPACE, istio-grpc:NAME.NAMESPACE or envoy-gateway:NAMESPACE/GATEWAY, got "${nodePreset}"`,
    );
  });

  it('has its own fields before those of a preset, and adds metadata', () => {
    expect(
      read({
        ...{ nodePreset: 'istio:cart-1.shop', nodeId: 'me', nodeCluster: 'c', nodeLocality: 'r/z' },
        nodeMetadata: '{"CLUSTER_ID": "east"}',
      }),
    ).toEqual({
      ...{ id: 'me', cluster: 'c', locality: { region: 'r', zone: 'z', subZone: '' } },
      metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'east' },
    });
  });

  it.each([
    [{ nodeLocality: 'a/b/c/d' }, 'settings.nodeLocality: expected REGION/ZONE/SUB_ZONE, got "a/b/c/d"'],
    [{ nodeMetadata: '[1]' }, 'settings.nodeMetadata: expected the JSON of an object, got "[1]"'],
    [{ nodeMetadata: '{' }, 'settings.nodeMetadata: expected the JSON of an object, got "{"'],
  ])('rejects %o', (settings, message) => {
    expect(() => read(settings)).toThrow(message);
  });
});
