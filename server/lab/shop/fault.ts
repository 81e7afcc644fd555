import type { ResourceKey } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';

const faultNames = [
  'fraud-detection-policy',
  'unsupported-policy',
  'zero-weights',
  'priority-gap',
  'missing-cluster',
  'missing-listener',
  'crashing-regex',
  'stale-delta',
] as const;
export type FaultName = (typeof faultNames)[number];

/** A fault that can be injected into one resource of the shop. */
export interface Fault {
  readonly name: FaultName;
  readonly text: string;
  readonly target: ResourceKey;
  /** Every client that has the resource NACKs it and none crashes. Background faults inject only such faults. */
  readonly isGentle: boolean;
  /** 'delta' if the fault applies only to delta streams, which no client of the lab uses. */
  readonly variant?: 'delta';
  /** Returns the faulty resource, or undefined to remove it. */
  readonly inject: (json: JsonObject) => JsonObject | undefined;
}

export const faults: readonly Fault[] = [
  {
    name: 'fraud-detection-policy',
    text: 'The cluster "fraud-detection" requires MAGLEV, which gRPC does not support: shop-checkout NACKs it',
    target: { typeUrl: CDS.typeUrl, name: 'fraud-detection' },
    isGentle: false,
    inject: (json) => ({ ...json, lbPolicy: 'MAGLEV' }),
  },
  {
    name: 'unsupported-policy',
    text: 'The cluster "recommendations" requires RANDOM, which gRPC does not support: shop-web NACKs it',
    target: { typeUrl: CDS.typeUrl, name: 'recommendations' },
    isGentle: true,
    inject: (json) => ({ ...json, lbPolicy: 'RANDOM' }),
  },
  {
    name: 'zero-weights',
    text: 'The weights in "web-routes" add up to 0: shop-web NACKs it',
    target: { typeUrl: RDS.typeUrl, name: 'web-routes' },
    isGentle: true,
    inject: (json) => editRoute(json, 'catalog', (action) => ({ ...action, ...zeroWeights(action) })),
  },
  {
    name: 'priority-gap',
    text: 'The endpoints of "cart" start at priority 1: shop-web and shop-mobile NACK it',
    target: { typeUrl: EDS.typeUrl, name: 'cart' },
    isGentle: true,
    inject: (json) => ({
      ...json,
      endpoints: objects(json.endpoints).map((locality) => ({
        ...locality,
        priority: Number(locality.priority ?? 0) + 1,
      })),
    }),
  },
  {
    name: 'missing-cluster',
    text: 'In "checkout-routes" a route points to the cluster "gift-wrapping", which does not exist',
    target: { typeUrl: RDS.typeUrl, name: 'checkout-routes' },
    isGentle: false,
    inject: (json) => editRoute(json, 'everything-else', () => ({ cluster: 'gift-wrapping' })),
  },
  {
    name: 'missing-listener',
    text: 'The listener "mobile.shop.example" is deleted: for shop-mobile it does not exist any more',
    target: { typeUrl: LDS.typeUrl, name: 'mobile.shop.example' },
    isGentle: false,
    inject: () => undefined,
  },
  {
    name: 'crashing-regex',
    text: 'A header match in "web-routes" is no regular expression: grpc-js-xds 1.14 accepts it and crashes',
    target: { typeUrl: RDS.typeUrl, name: 'web-routes' },
    isGentle: false,
    inject: (json) => editRoutes(json, (routes) => [crashingRoute, ...routes]),
  },
  {
    name: 'stale-delta',
    text: 'Delta streams receive one locality fewer of "catalog-stable" than state of the world: the two probes diverge',
    target: { typeUrl: EDS.typeUrl, name: 'catalog-stable' },
    isGentle: false,
    variant: 'delta',
    inject: (json) => ({ ...json, endpoints: objects(json.endpoints).slice(1) }),
  },
];

const crashingRoute: JsonObject = {
  name: 'crash',
  match: {
    prefix: '/crash',
    headers: [{ name: 'x-crash', stringMatch: { safeRegex: { googleRe2: {}, regex: '[' } } }],
  },
  route: { cluster: 'recommendations' },
};

export function findFault(name: string): Fault | undefined {
  return faults.find((each) => each.name === name);
}

/** Returns the mesh with the active faults injected. */
export function injectFaults(
  mesh: readonly MeshResource[],
  active: ReadonlySet<FaultName>,
): readonly MeshResource[] {
  return faults
    .filter(({ name, variant }) => active.has(name) && variant === undefined)
    .reduce<readonly MeshResource[]>(
      (resources, { target, inject }) =>
        resources.flatMap((resource) => {
          if (resource.typeUrl !== target.typeUrl || resource.name !== target.name) return [resource];
          const json = inject(resource.json);
          return json === undefined ? [] : [{ ...resource, json }];
        }),
      mesh,
    );
}

/** Returns the replacements that delta streams get for the active faults. */
export function injectDeltaFaults(
  mesh: readonly MeshResource[],
  active: ReadonlySet<FaultName>,
): readonly MeshResource[] {
  return faults.flatMap(({ name, variant, target, inject }) => {
    if (variant !== 'delta' || !active.has(name)) return [];
    const whole = mesh.find((each) => each.typeUrl === target.typeUrl && each.name === target.name);
    const json = whole && inject(whole.json);
    return whole === undefined || json === undefined ? [] : [{ ...whole, json }];
  });
}

function editRoutes(json: JsonObject, edit: (routes: JsonObject[]) => JsonObject[]): JsonObject {
  const virtualHosts = objects(json.virtualHosts).map((host) => ({
    ...host,
    routes: edit(objects(host.routes)),
  }));
  return { ...json, virtualHosts };
}

function editRoute(json: JsonObject, name: string, edit: (action: JsonObject) => JsonObject): JsonObject {
  return editRoutes(json, (routes) =>
    routes.map((each) =>
      each.name === name ? { ...each, route: edit(objects([each.route])[0] ?? {}) } : each,
    ),
  );
}

function zeroWeights(action: JsonObject): JsonObject {
  const weighted = objects([action.weightedClusters])[0] ?? {};
  return {
    weightedClusters: {
      clusters: objects(weighted.clusters).map((each) => ({ ...each, weight: 0 })),
    },
  };
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
}
