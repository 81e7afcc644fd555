import { type Client, clientOf, type Profile, profilesOf, since } from '../../xds/profile';

const policy = (name: string): string => `envoy.extensions.load_balancing_policies.${name}`;
export const roundRobin = policy('round_robin.v3.RoundRobin');
export const wrrLocality = policy('wrr_locality.v3.WrrLocality');
export const ringHash = policy('ring_hash.v3.RingHash');
export const maglev = policy('maglev.v3.Maglev');
const pickFirst = policy('pick_first.v3.PickFirst');
export const weighted = policy('client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin');
export const leastRequest = policy('least_request.v3.LeastRequest');
export const clusterProvided = policy('cluster_provided.v3.ClusterProvided');

/** Policies of the Envoy API that only gRPC implements. */
const absentFromEnvoy: readonly string[] = [pickFirst, policy('random_subsetting.v3.RandomSubsetting')];

const common = [roundRobin, wrrLocality, ringHash, pickFirst, weighted];

/** C-core before 1.55 does not read load_balancing_policy. */
export const policyListReaders: readonly Profile[] = profilesOf(
  ...since('core-1.55'),
  'go',
  'java',
  'node',
  'envoy',
);

/** Policies that the client enables by default. */
const supported: Readonly<Record<Client, readonly string[]>> = {
  core: common,
  go: common,
  java: common,
  node: [roundRobin, wrrLocality, ringHash],
  envoy: [],
};

const withLeastRequest: readonly Profile[] = [...since('go-1.73'), ...since('java-1.76')];

export function supportsLeastRequest(profile: Profile): boolean {
  return withLeastRequest.includes(profile);
}

export function isSupportedPolicy(typeName: string, profile: Profile): boolean {
  if (clientOf(profile) === 'envoy') {
    // Envoy 1.36 has no wrr_locality.
    if (typeName === wrrLocality && profile === 'envoy-1.36') return false;
    return typeName.startsWith(policy('')) && !absentFromEnvoy.includes(typeName);
  }
  // grpc-java 1.60 has the policy, and rejects it as an lb_policy.
  if (typeName === leastRequest) return supportsLeastRequest(profile) || clientOf(profile) === 'java';
  return supported[clientOf(profile)].includes(typeName);
}

/** Policies that the client registers for internal use. A TypedStruct can name them. */
export const registered: Readonly<Record<Client, ReadonlySet<string>>> = {
  core: new Set(['round_robin', 'pick_first', 'weighted_round_robin', 'ring_hash_experimental']),
  go: new Set(['round_robin', 'pick_first', 'weighted_round_robin', 'ring_hash_experimental']),
  java: new Set(['round_robin', 'pick_first', 'weighted_round_robin', 'ring_hash_experimental']),
  node: new Set(['round_robin', 'pick_first', 'ring_hash']),
  envoy: new Set(),
};
