import { ascending } from '@/lib/collections/compare';
import { defaultOverprovisioningFactor } from '@/lib/lb/envoy/availability';
import { splitLocalities } from '@/lib/lb/envoy/split-localities';
import { splitPriorities } from '@/lib/lb/envoy/split-priorities';
import { usualWeight } from '../shop/shop-endpoints';
import { type ShopLocality, shopLocalities } from '../shop/shop-localities';
import type { ShopState } from '../shop/shop-state';

export interface EndpointShare {
  readonly locality: ShopLocality;
  /** Name of the backend. */
  readonly backend: string;
  /** A number from 0 to 1. Shares sum to 1 unless the list is empty. */
  readonly share: number;
}

const panicThreshold = 50;

/** Returns where Envoy would send the requests to an assignment, by health, priorities and weights. */
export function spreadRequests(assignment: string, state: ShopState): EndpointShare[] {
  const localities = shopLocalities.filter((each) => each.assignment === assignment);
  const priorities = [...new Set(localities.map(({ priority }) => priority))].sort(ascending);
  const ofPriority = (priority: number) => localities.filter((each) => each.priority === priority);
  const healthyOf = ({ backends }: ShopLocality) => backends.filter(({ name }) => !state.unhealthy.has(name));
  const healths = priorities.map((priority) => {
    const all = ofPriority(priority);
    const hosts = {
      healthy: all.flatMap(healthyOf).length,
      degraded: 0,
      total: all.flatMap(({ backends }) => backends).length,
      excluded: 0,
    };
    return { hosts, weighed: hosts, overprovisioningFactor: defaultOverprovisioningFactor };
  });
  const split = splitPriorities(healths, panicThreshold);
  return priorities.flatMap((priority, at) => {
    const { healthyLoad = 0, isPanic = false } = split.priorities[at] ?? {};
    const all = ofPriority(priority);
    const hostsOf = (locality: ShopLocality) => (isPanic ? locality.backends : healthyOf(locality));
    const shares = splitLocalities(
      all.map((locality) => ({
        weight: state.localityWeights.get(locality.key) ?? usualWeight,
        available: hostsOf(locality).length,
        total: locality.backends.length,
      })),
      defaultOverprovisioningFactor,
    );
    return all.flatMap((locality, index) => {
      const hosts = hostsOf(locality);
      const share = ((healthyLoad / 100) * (shares[index] ?? 0)) / hosts.length;
      return share > 0 ? hosts.map(({ name }) => ({ locality, backend: name, share })) : [];
    });
  });
}
