export interface KnownDefault {
  readonly value: string | number | boolean;
  /** Who says so. */
  readonly reason: string;
}

const word = 'the API documents this value for the unset field, and clients of both kinds use it';

/**
 * Fields whose absence is a state of its own on the wire (wrappers, mostly) and yet means a value. By message and field.
 * Only what holds for every kind of client: a route's timeout is 15 s to Envoy and none to gRPC, and is not here.
 */
export const knownDefaults: Readonly<Record<string, KnownDefault>> = {
  'envoy.config.route.v3.RouteMatch.caseSensitive': { value: true, reason: word },
  'envoy.config.endpoint.v3.LbEndpoint.loadBalancingWeight': { value: 1, reason: word },
  'envoy.config.endpoint.v3.ClusterLoadAssignment.Policy.overprovisioningFactor': {
    value: 140,
    reason: word,
  },
  'envoy.config.cluster.v3.Cluster.RingHashLbConfig.minimumRingSize': { value: '1024', reason: word },
  'envoy.config.cluster.v3.Cluster.RingHashLbConfig.maximumRingSize': { value: '8388608', reason: word },
  'envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash.minimumRingSize': {
    value: '1024',
    reason: word,
  },
  'envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash.maximumRingSize': {
    value: '8388608',
    reason: word,
  },
  'envoy.config.cluster.v3.Cluster.LeastRequestLbConfig.choiceCount': { value: 2, reason: word },
  'envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest.choiceCount': {
    value: 2,
    reason: word,
  },
};
