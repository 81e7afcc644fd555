import type { Profile } from '../profile';

const policy = (name: string): string => `envoy.extensions.load_balancing_policies.${name}`;
export const roundRobin = policy('round_robin.v3.RoundRobin');
export const wrrLocality = policy('wrr_locality.v3.WrrLocality');
export const ringHash = policy('ring_hash.v3.RingHash');
export const pickFirst = policy('pick_first.v3.PickFirst');
export const weighted = policy('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin');
export const leastRequest = policy('least_request.v3.LeastRequest');

/** Policies that the client enables by default. */
export const supported: Readonly<Record<Profile, ReadonlySet<string>>> = {
  core: new Set(),
  go: new Set([roundRobin, wrrLocality, ringHash, pickFirst, weighted]),
  java: new Set([roundRobin, wrrLocality, ringHash, pickFirst, weighted, leastRequest]),
  node: new Set([roundRobin, wrrLocality, ringHash]),
  envoy: new Set(),
};

/** Policies that the client registers for internal use. A TypedStruct can name them. */
export const registered: Readonly<Record<Profile, ReadonlySet<string>>> = {
  core: new Set(),
  go: new Set(['round_robin', 'pick_first', 'weighted_round_robin', 'ring_hash_experimental']),
  java: new Set(['round_robin', 'pick_first', 'weighted_round_robin', 'ring_hash_experimental']),
  node: new Set(['round_robin', 'pick_first', 'ring_hash']),
  envoy: new Set(),
};
