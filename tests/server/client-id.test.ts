import { describe, expect, it } from 'vitest';
import { identifyClient } from '@/server/client-id';

const node = (id: string, metadata: Record<string, unknown> = {}) => ({ id, metadata });

describe('identifyClient()', () => {
  const shop = node('shop');

  it('takes a target and its listener for one client, in all spellings', () => {
    const ids = ['xds:///cart', 'xds:/cart', 'cart'].map((scope) => identifyClient(shop, scope));
    expect(new Set(ids)).toEqual(new Set([identifyClient(shop, 'xds://any/thing', 'cart')]));
    expect(identifyClient(shop, 'xds://a.example/cart')).toBe(
      identifyClient(shop, 'xdstp://a.example/envoy.config.listener.v3.Listener/cart'),
    );
  });

  it('distinguishes targets, servers, probes, and the whole process', () => {
    const ids = ['', '#server', '#probe ads:a:1', 'xds:///cart', 'xds:///checkout', 'dns:///cart', 'xds:///'];
    expect(new Set(ids.map((scope) => identifyClient(shop, scope))).size).toBe(ids.length);
  });

  it('takes the node id of a proxy of Istio, and the part of it that istiod reports, for one client', () => {
    const cluster = { CLUSTER_ID: 'Kubernetes' };
    const proxy = node('sidecar~10.1.0.1~cart-1.shop~shop.svc.cluster.local', { ...cluster, ANY: 1 });
    expect(identifyClient(proxy, '')).toBe(identifyClient(node('cart-1.shop', cluster), ''));
    const others = [
      node('sidecar~10.1.0.1~cart-1.shop~shop.svc.cluster.local', { CLUSTER_ID: 'other' }),
      node('sidecar~10.1.0.1~cart-1.other~other.svc.cluster.local', cluster),
      node('sidecar~10.1.0.1~cart-1.shop', cluster),
      node('cart-1.shop'),
    ];
    // The node id of a probe has a dot, too.
    const probe = 'xdscope-probe@127.0.0.1:15010';
    expect(identifyClient(node(probe, cluster), '')).toBe(identifyClient(node(probe), ''));
    for (const other of others) expect(identifyClient(other, '')).not.toBe(identifyClient(proxy, ''));
  });
});
