import type { Locality } from '@/lib/observation/observation';

/** One endpoint of the shop: a gRPC server on loopback. */
export interface ShopBackend {
  readonly name: string;
  /** The ClusterLoadAssignment that lists it. */
  readonly assignment: string;
  readonly locality: Locality;
  readonly priority: number;
  readonly latencyMs: number;
  /** Initial percentage of calls that it answers with UNAVAILABLE. */
  readonly failPercent: number;
}

type Zone = 'eu-west1-a' | 'eu-west1-b' | 'eu-west1-c' | 'us-east1-b' | 'us-east1-c';

function backends(assignment: string, zones: readonly Zone[], odd: Partial<ShopBackend> = {}): ShopBackend[] {
  const seen = new Map<Zone, number>();
  return zones.map((zone) => {
    const count = (seen.get(zone) ?? 0) + 1;
    seen.set(zone, count);
    return {
      name: `${assignment}-${zone}-${count}`,
      assignment,
      locality: { region: zone.slice(0, zone.lastIndexOf('-')), zone, subZone: '' },
      priority: 0,
      latencyMs: 3,
      failPercent: 0,
      ...odd,
    };
  });
}

/** Europe has priority 0; where America is listed as well, it has priority 1. */
export const shopBackends: readonly ShopBackend[] = [
  ...backends('catalog-stable', ['eu-west1-a', 'eu-west1-a', 'eu-west1-b']),
  ...backends('catalog-stable', ['us-east1-b'], { priority: 1 }),
  ...backends('catalog-canary', ['eu-west1-a']),
  ...backends('cart', ['eu-west1-a', 'eu-west1-b']),
  ...backends('cart', ['us-east1-b'], { priority: 1 }),
  ...backends('search.eu-west1', ['eu-west1-b', 'eu-west1-c']),
  ...backends('search.us-east1', ['us-east1-b', 'us-east1-c']),
  ...backends('recommendations', ['eu-west1-b']),
  ...backends('recommendations', ['eu-west1-c'], { latencyMs: 120 }),
  ...backends('checkout', ['eu-west1-a', 'eu-west1-b']),
  ...backends('checkout', ['us-east1-b'], { priority: 1 }),
  ...backends('payment-v1', ['eu-west1-a']),
  ...backends('payment-v1', ['eu-west1-c'], { failPercent: 15 }),
  ...backends('payment-v2', ['eu-west1-b']),
  ...backends('inventory', ['eu-west1-a', 'eu-west1-c']),
  ...backends('inventory', ['us-east1-b'], { priority: 1 }),
  ...backends('orders', ['eu-west1-b', 'eu-west1-c']),
];

/** Every backend serves all of these methods. */
export const shopMethods = [
  '/shop.v1.Catalog/List',
  '/shop.v1.Catalog/Get',
  '/shop.v1.Cart/Get',
  '/shop.v1.Cart/Add',
  '/shop.v1.Search/Query',
  '/shop.v1.Recommendations/ForUser',
  '/shop.v1.Checkout/Place',
  '/shop.v1.Payment/Charge',
  '/shop.v1.Fraud/Check',
  '/shop.v1.Inventory/Reserve',
  '/shop.v1.Orders/List',
] as const;
