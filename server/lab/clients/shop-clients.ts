import type { Locality } from '@/lib/observation/observation';
import { edgeNodeId } from '../shop/shop-edge';
import type { ClientCall } from './client-program';

export interface ShopClient {
  /** The name is also the node id. */
  readonly name: string;
  readonly kind: 'client' | 'python-client' | 'envoy';
  readonly text: string;
  readonly locality: Locality;
  /** The calls that the client makes or, if it is an Envoy, that the lab makes through its listener. */
  readonly calls: readonly ClientCall[];
  /** If true, it connects to the management server itself instead of the tap. */
  readonly isDirect?: boolean;
}

const europe = (zone: string): Locality => ({ region: 'eu-west1', zone, subZone: '' });

function call(listener: string, method: string, everyMs: number, headers = {}): ClientCall {
  return { listener: `${listener}.shop.example`, method, everyMs, headers };
}

export const shopClients: readonly ShopClient[] = [
  {
    name: 'shop-web',
    kind: 'client',
    text: 'the shop in the browser: weighted and header routes, an aggregate cluster, drops',
    locality: europe('eu-west1-a'),
    calls: [
      call('web', '/shop.v1.Catalog/List', 250),
      call('web', '/shop.v1.Catalog/Get', 1000, { 'x-beta': 'true' }),
      call('web', '/shop.v1.Cart/Get', 500),
      call('web', '/shop.v1.Search/Query', 500),
      call('web', '/shop.v1.Recommendations/ForUser', 500),
    ],
  },
  {
    name: 'shop-mobile',
    kind: 'client',
    text: 'the app: inline routes behind a fault filter',
    locality: europe('eu-west1-b'),
    calls: [
      call('mobile', '/shop.v1.Catalog/List', 400, { 'x-platform': 'ios' }),
      call('mobile', '/shop.v1.Catalog/List', 400, { 'x-platform': 'android' }),
      call('mobile', '/shop.v1.Cart/Add', 500),
      call('mobile', '/shop.v1.Search/Query', 500),
    ],
  },
  {
    name: 'shop-checkout',
    kind: 'client',
    text: 'takes the orders; it holds a cluster that it NACKs',
    locality: europe('eu-west1-a'),
    calls: [
      call('checkout', '/shop.v1.Checkout/Place', 300),
      call('checkout', '/shop.v1.Payment/Charge', 300),
      call('checkout', '/shop.v1.Fraud/Check', 1000),
      call('checkout', '/shop.v1.Inventory/Reserve', 500),
    ],
  },
  {
    name: 'shop-batch',
    kind: 'client',
    text: 'works at night; it requests the listener "reports.shop.example", which does not exist, and connects without the tap',
    isDirect: true,
    locality: europe('eu-west1-c'),
    calls: [
      call('orders', '/shop.v1.Orders/List', 250),
      call('orders', '/shop.v1.Inventory/Reserve', 250),
      call('reports', '/shop.v1.Orders/List', 2000),
    ],
  },
  {
    name: 'shop-warehouse',
    kind: 'python-client',
    text: 'the second implementation: gRPC C-core, in Python',
    locality: europe('eu-west1-c'),
    calls: [
      call('inventory', '/shop.v1.Inventory/Reserve', 200),
      call('inventory', '/shop.v1.Orders/List', 500),
      call('inventory', '/shop.v1.Search/Query', 500),
    ],
  },
  {
    name: edgeNodeId,
    kind: 'envoy',
    text: 'the proxy at the edge of the shop, which the lab calls through its listener',
    locality: europe('eu-west1-b'),
    calls: [
      call('web', '/shop.v1.Catalog/List', 400),
      call('web', '/shop.v1.Cart/Get', 700),
      call('web', '/shop.v1.Search/Query', 700),
      call('web', '/shop.v1.Recommendations/ForUser', 1000),
    ],
  },
];
