import { describe, expect, it } from 'vitest';
import { formatName } from '@/lib/format/names/format-name';
import { parseName } from '@/lib/format/names/parse-name';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';

const trustDomain = '11111111-2222-3333-4444-555555555555.consul';

/** The name, its short form, and the parts that it has beside convention, title and qualifiers. */
type Case = readonly [name: string, shown: string, parts: Readonly<Record<string, string>>, typeUrl?: string];

function assertCases(cases: readonly Case[]): void {
  for (const [name, shown, parts, typeUrl] of cases) {
    expect(formatName(name, typeUrl), name).toBe(shown);
    const { convention, title, qualifiers, ...rest } = parseName(name, typeUrl) ?? {};
    expect(rest, name).toEqual(parts);
  }
}

describe('parseName', () => {
  it('reads the node IDs of probes', () => {
    assertCases([
      ['xdscope-probe@10.0.0.1:15010', 'probe 10.0.0.1:15010', {}],
      ['xdscope-probe@a.b:1?transport=delta-ads&profile=go', 'probe a.b:1 delta-ads go', {}],
      ['xdscope-probe@', 'xdscope-probe@', {}],
    ]);
  });

  it('reads the clusters of Istio', () => {
    const host = 'cart.shop.svc.cluster.local';
    const cart = { service: 'cart', namespace: 'shop', fqdn: host };
    assertCases([
      [`outbound|8080||${host}`, 'cart.shop :8080', { ...cart, port: '8080', direction: 'outbound' }],
      [
        `outbound|80|v1|${host}`,
        'cart.shop :80 v1',
        { ...cart, port: '80', subset: 'v1', direction: 'outbound' },
      ],
      [
        `outbound_.8080_.v1_.${host}`,
        'cart.shop :8080 v1 SNI',
        { ...cart, port: '8080', subset: 'v1', direction: 'outbound' },
      ],
      [`outbound_.8080_._.${host}`, 'cart.shop :8080 SNI', { ...cart, port: '8080', direction: 'outbound' }],
      ['inbound|8080||', 'inbound :8080', { port: '8080', direction: 'inbound' }],
      ['inbound|http|15008', 'inbound :15008 http', { port: '15008', direction: 'inbound' }],
      [
        `inbound-vip|80|http|${host}`,
        'cart.shop :80 http inbound-vip',
        { ...cart, port: '80', direction: 'inbound' },
      ],
      [
        `inbound-vip|9080||${host}-http`,
        'cart.shop :9080 -http inbound-vip',
        { ...cart, port: '9080', direction: 'inbound' },
      ],
      [
        'outbound|443||*.wild.example.com',
        '*.wild.example.com :443',
        { service: '*.wild.example.com', fqdn: '*.wild.example.com', port: '443', direction: 'outbound' },
      ],
      [
        'outbound|80||cart.shop.svc.mesh.example',
        'cart.shop.svc.mesh.example :80',
        { ...cart, fqdn: 'cart.shop.svc.mesh.example', port: '80', direction: 'outbound' },
      ],
      ['BlackHoleCluster', 'BlackHoleCluster', {}],
      ['PassthroughCluster', 'PassthroughCluster', { direction: 'outbound' }],
      ['InboundPassthroughCluster', 'InboundPassthroughCluster', { direction: 'inbound' }],
    ]);
  });

  it('reads the listeners and route configurations of Istio', () => {
    assertCases([
      ['virtualInbound', 'virtualInbound', { direction: 'inbound' }],
      ['0.0.0.0_8080', '0.0.0.0 :8080', { port: '8080' }],
      ['inbound_0.0.0.0_8080', '0.0.0.0 :8080 inbound', { port: '8080', direction: 'inbound' }],
      ['fd00::12_80', 'fd00::12 :80', { port: '80' }],
      ['8080', ':8080', { port: '8080' }, RDS.typeUrl],
      ['http.8080', 'http :8080', { port: '8080' }],
      [
        'https.8444.https-cred.edge.istio-system',
        'edge.istio-system :8444 https-cred',
        { service: 'edge', namespace: 'istio-system', port: '8444' },
      ],
      [
        'cart.shop.svc.cluster.local:80',
        'cart.shop :80',
        { service: 'cart', namespace: 'shop', port: '80', fqdn: 'cart.shop.svc.cluster.local' },
      ],
    ]);
  });

  it('reads the node ids of Istio as workload and namespace', () => {
    assertCases([
      [
        'sidecar~10.1.0.1~cart-1.shop~shop.svc.cluster.local',
        'cart-1.shop',
        { service: 'cart-1', namespace: 'shop', nodeKind: 'sidecar', address: '10.1.0.1' },
      ],
      [
        'router~10.98.0.8~edge-1.amb~amb.svc.cluster.local',
        'edge-1.amb',
        { service: 'edge-1', namespace: 'amb', nodeKind: 'router', address: '10.98.0.8' },
      ],
      [
        'waypoint~192.168.252.229~httpbin-istio-waypoint-58f646c5ff-dbfkz.default~default.svc.cluster.local',
        'httpbin-istio-waypoint-58f646c5ff-dbfkz.default',
        {
          ...{ service: 'httpbin-istio-waypoint-58f646c5ff-dbfkz', namespace: 'default' },
          ...{ nodeKind: 'waypoint', address: '192.168.252.229' },
        },
      ],
      [
        'ztunnel~10.1.0.2~ztunnel-x2b4z.istio-system~istio-system.svc.cluster.local',
        'ztunnel-x2b4z.istio-system',
        { service: 'ztunnel-x2b4z', namespace: 'istio-system', nodeKind: 'ztunnel', address: '10.1.0.2' },
      ],
      ['sidecar~1.2.3.4~foo~bar', 'foo', { service: 'foo', nodeKind: 'sidecar', address: '1.2.3.4' }],
    ]);
  });

  it('reads the names of Envoy Gateway', () => {
    const cart = { service: 'cart', namespace: 'shop' };
    assertCases([
      ['httproute/shop/cart/rule/0/backend/1', 'shop/cart rule 0 backend 1 HTTPRoute', cart],
      [
        'httproute/shop/cart/rule/0/match/0/*_wild_example',
        'shop/cart rule 0 match 0 *_wild_example HTTPRoute',
        cart,
      ],
      ['tcproute/shop/cart/rule/-1', 'shop/cart rule -1 TCPRoute', cart],
      ['service/shop/cart/8162/udp', 'cart.shop :8162 udp', { ...cart, port: '8162' }],
      ['shop/eg/http', 'shop/eg/http', { service: 'eg', namespace: 'shop' }, LDS.typeUrl],
    ]);
  });

  it('reads the names of Consul', () => {
    const db = { service: 'db', namespace: 'default' };
    assertCases([
      [
        `db.default.dc1.internal.${trustDomain}`,
        'db.default dc1',
        { ...db, fqdn: `db.default.dc1.internal.${trustDomain}` },
      ],
      [
        `v1.db.default.dc1.internal.${trustDomain}`,
        'db.default dc1 v1',
        { ...db, subset: 'v1', fqdn: `v1.db.default.dc1.internal.${trustDomain}` },
      ],
      [
        `failover-target~db.default.dc2.internal.${trustDomain}`,
        'db.default dc2 failover-target',
        { ...db, fqdn: `db.default.dc2.internal.${trustDomain}` },
      ],
      [
        `db.default.part.dc1.internal-v1.${trustDomain}`,
        'db.default part dc1 internal-v1',
        { ...db, fqdn: `db.default.part.dc1.internal-v1.${trustDomain}` },
      ],
      [`dc2.internal.${trustDomain}`, 'dc2 internal', {}],
      ['server.dc2.peering.6d942ff2-6a78-46f4-a52f-915e26c48797', 'server.dc2 peering', {}],
      ['local_app', 'local_app', { direction: 'inbound' }],
      [
        'public_listener:0.0.0.0:8443',
        'public_listener :8443 0.0.0.0',
        { port: '8443', direction: 'inbound' },
      ],
      ['db:127.0.0.1:9191', 'db :9191', { service: 'db', port: '9191' }, LDS.typeUrl],
      ['db:10.0.0.1:9191', 'db :9191 10.0.0.1', { service: 'db', port: '9191' }, LDS.typeUrl],
    ]);
  });

  it('reads the names of Kuma', () => {
    const outbound = { direction: 'outbound' };
    assertCases([
      ['kri_msvc_default___backend_80', 'backend :80', { service: 'backend', port: '80', ...outbound }],
      [
        'kri_msvc_demo_zone-1_other-ns_cart_http',
        'cart.other-ns http zone zone-1 mesh demo',
        { service: 'cart', namespace: 'other-ns', port: 'http', ...outbound },
      ],
      [
        'kri_extsvc_default___example_9000',
        'example :9000 extsvc',
        { service: 'example', port: '9000', ...outbound },
      ],
      ['kri_mhttpr_default___test-origin_rule_0', 'test-origin rule_0 mhttpr', { service: 'test-origin' }],
      [
        'default_cart__default_msvc_80',
        'cart :80 zone default',
        { service: 'cart', port: '80', ...outbound },
      ],
      ['self_inbound_dp_17777', 'inbound :17777', { port: '17777', direction: 'inbound' }],
      ['inbound:10.0.0.1:80', '10.0.0.1 :80 inbound', { port: '80', direction: 'inbound' }],
      ['outbound:10.0.0.1:80', '10.0.0.1 :80 outbound', { port: '80', ...outbound }],
      ['outbound:backend', 'backend outbound', { service: 'backend', ...outbound }],
      [
        'meshpassthrough_tls_*.example.com_443',
        '*.example.com :443 tls passthrough',
        { service: '*.example.com', port: '443', ...outbound },
      ],
      ['meshpassthrough_http_8080', 'any host :8080 http passthrough', { port: '8080', ...outbound }],
    ]);
  });

  it('reads the names of Contour', () => {
    const kuard = { service: 'kuard', namespace: 'default', port: '80', direction: 'outbound' };
    assertCases([
      ['default/kuard/80/da39a3ee5e', 'kuard.default :80', kuard],
      ['default/kuard/80/58d888c08a', 'kuard.default :80 58d888c08a', kuard],
      ['ingress_http', 'ingress_http', { direction: 'inbound' }],
    ]);
  });

  it('reads the id of an xdstp name first, and then what else identifies it', () => {
    assertCases([
      [
        'xdstp://traffic.example/envoy.config.cluster.v3.Cluster/shop/cart?zone=b&env=prod',
        'shop/cart traffic.example env=prod zone=b',
        {},
      ],
      ['xdstp:///envoy.config.cluster.v3.Cluster/cart', 'cart no authority', {}],
    ]);
  });

  it('leaves other names as they are', () => {
    const names = [
      ...[
        'cart',
        'payment-v1',
        'xds-test-server:1337',
        'a/b/c',
        '8080',
        '',
        '10.0.0.1:80',
        'https.8443',
        'outbound|x||a',
      ],
      ...[
        'kri_',
        'sidecar~10.1.0.1',
        'xdstp:broken',
        'cart.shop',
        'toString',
        'constructor',
        'localhost:10011',
      ],
      'outbound|80|v1|'.padEnd(2000, 'a'),
    ];
    for (const name of names) {
      expect(parseName(name), name).toBeUndefined();
      expect(formatName(name), name).toBe(name);
    }
    expect(parseName('8080', CDS.typeUrl)).toBeUndefined();
    expect(parseName('shop/cart/80', EDS.typeUrl)).toBeUndefined();
  });

  it('makes invisible characters visible in every part', () => {
    expect(formatName('outbound|80|\u202ev1|cart\n.shop.svc.cluster.local')).toBe('cart␊.shop :80 \\u202ev1');
  });
});
