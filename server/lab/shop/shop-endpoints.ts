import { EDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';
import { type ShopBackend, shopBackends } from './shop-backends';
import type { ShopState } from './shop-state';

export function buildEndpoints(state: ShopState, portOf: (backend: string) => number): MeshResource[] {
  return [...new Set(shopBackends.map(({ assignment }) => assignment))].map((name) => {
    const members = shopBackends.filter(({ assignment }) => assignment === name);
    const localities = new Map<string, ShopBackend[]>();
    for (const backend of members) {
      const key = `${backend.priority} ${backend.locality.zone}`;
      localities.set(key, [...(localities.get(key) ?? []), backend]);
    }
    const json: JsonObject = {
      clusterName: name,
      endpoints: [...localities.values()].map((backends) => localityOf(name, backends, state, portOf)),
    };
    if (name === 'recommendations') {
      const dropPercentage = { numerator: 5, denominator: 'HUNDRED' };
      json.policy = { dropOverloads: [{ category: 'throttle', dropPercentage }] };
    }
    return { typeUrl: EDS.typeUrl, name, json };
  });
}

function localityOf(
  assignment: string,
  backends: readonly ShopBackend[],
  state: ShopState,
  portOf: (backend: string) => number,
): JsonObject {
  const [first] = backends;
  return {
    locality: { region: first?.locality.region, zone: first?.locality.zone },
    priority: first?.priority,
    loadBalancingWeight: weightOf(assignment, first?.locality.zone ?? '', state),
    lbEndpoints: backends.map(({ name }) => ({
      healthStatus: state.unhealthy.has(name) ? 'UNHEALTHY' : 'HEALTHY',
      endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue: portOf(name) } } },
    })),
  };
}

function weightOf(assignment: string, zone: string, state: ShopState): number {
  if (assignment === 'catalog-stable' && zone === 'eu-west1-a') return state.catalogZoneWeight;
  if (assignment === 'cart') return 100 + (state.mended.get('priority-gap') ?? 0);
  return 100;
}
