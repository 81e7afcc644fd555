import type { Client } from '../xds/profile';
import type { ClusterBalancing } from './cluster-balancing';
import type { LoadAssignment } from './endpoints';

/** gRFC A32: the limit of a threshold that does not state it. */
const usualMaxRequests = 1024;

/** gRFC A32: the first threshold of priority DEFAULT counts; Node uses the last. */
export function maxRequestsOf({ maxRequests }: ClusterBalancing, client: Client): number {
  return maxRequests.at(client === 'node' ? -1 : 0) ?? usualMaxRequests;
}

/** Returns the percentage of requests that EDS drops: 1 - product of the parts that each category lets through. */
export function dropPercentOf({ dropOverloads }: Pick<LoadAssignment, 'dropOverloads'>): number {
  // The percentage of a single category is not changed by rounding.
  return dropOverloads.reduce(
    (dropped, { percent }) => dropped + Math.min(100, percent ?? 0) * (1 - dropped / 100),
    0,
  );
}

/**
 * Returns why a client ends every RPC or request to a cluster before it chooses an endpoint, as a phrase; empty if it does not. The
 * circuit breaker of an Envoy is decided apart, since it is that of a priority.
 * `assignment`: null if the endpoints are not known.
 */
export function whyNothingAdmitted(
  balancing: ClusterBalancing,
  assignment: Pick<LoadAssignment, 'dropOverloads'> | null,
  client: Client,
): string {
  if (client !== 'envoy' && maxRequestsOf(balancing, client) === 0)
    return 'the circuit breaker admits no RPC: max_requests is 0';
  const dropOverloads = assignment?.dropOverloads ?? [];
  const all = dropOverloads.find(({ percent = 0 }) => percent >= 100);
  return all === undefined
    ? ''
    : `EDS drops every ${client === 'envoy' ? 'request' : 'RPC'} (drop_overloads, category "${all.category}")`;
}
