export interface KnownDefault {
  readonly value: string | number | boolean;
  readonly reason: string;
}

const reason = 'the API documents this value for the unset field, and clients of both kinds use it';
const policies = 'envoy.extensions.load_balancing_policies';

/**
 * Fields whose absence is a state of its own on the wire (mostly wrappers), but means a value, by message and field. All
 * kinds of clients must agree: the timeout of a route is 15 s for Envoy and none for gRPC, and is not listed.
 */
export const knownDefaults: Readonly<Record<string, KnownDefault>> = {
  'envoy.config.route.v3.RouteMatch.caseSensitive': { value: true, reason },
  'envoy.config.endpoint.v3.LbEndpoint.loadBalancingWeight': { value: 1, reason },
  'envoy.config.endpoint.v3.ClusterLoadAssignment.Policy.overprovisioningFactor': { value: 140, reason },
  'envoy.config.cluster.v3.Cluster.RingHashLbConfig.minimumRingSize': { value: '1024', reason },
  'envoy.config.cluster.v3.Cluster.RingHashLbConfig.maximumRingSize': { value: '8388608', reason },
  [`${policies}.ring_hash.v3.RingHash.minimumRingSize`]: { value: '1024', reason },
  [`${policies}.ring_hash.v3.RingHash.maximumRingSize`]: { value: '8388608', reason },
  'envoy.config.cluster.v3.Cluster.LeastRequestLbConfig.choiceCount': { value: 2, reason },
  [`${policies}.least_request.v3.LeastRequest.choiceCount`]: { value: 2, reason },
};
