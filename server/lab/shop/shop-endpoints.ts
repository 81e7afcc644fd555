import { EDS } from '@/lib/xds/resource-type';
import type { JsonObject, MeshResource } from './mesh-resource';
import { type ShopLocality, shopAssignments, shopLocalities } from './shop-localities';
import type { ShopState } from './shop-state';

export function buildEndpoints(state: ShopState, portOf: (backend: string) => number): MeshResource[] {
  return shopAssignments.map((name) => {
    const json: JsonObject = {
      clusterName: name,
      endpoints: shopLocalities
        .filter(({ assignment }) => assignment === name)
        .map((locality) => buildLocality(locality, state, portOf)),
    };
    const numerator = state.dropPercents.get(name) ?? 0;
    if (numerator > 0) {
      const dropPercentage = { numerator, denominator: 'HUNDRED' };
      json.policy = { dropOverloads: [{ category: 'throttle', dropPercentage }] };
    }
    return { typeUrl: EDS.typeUrl, name, json };
  });
}

function buildLocality(
  { key, assignment, priority, locality, backends }: ShopLocality,
  state: ShopState,
  portOf: (backend: string) => number,
): JsonObject {
  const weight = state.localityWeights.get(key) ?? usualWeight;
  const reverted = assignment === 'cart' ? (state.reverted.get('priority-gap') ?? 0) : 0;
  return {
    locality: { region: locality.region, zone: locality.zone },
    priority,
    loadBalancingWeight: weight === 0 ? 0 : weight + reverted,
    lbEndpoints: backends.map(({ name }) => ({
      healthStatus: state.unhealthy.has(name) ? 'UNHEALTHY' : 'HEALTHY',
      endpoint: {
        address: { socketAddress: { address: '127.0.0.1', portValue: portOf(name) } },
        hostname: name,
      },
    })),
  };
}

export const usualWeight = 100;
