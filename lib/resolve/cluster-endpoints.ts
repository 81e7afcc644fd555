import { findFailure } from '../facts/failing-endpoints';
import type { ClusterModel } from '../model/cluster';
import { type ClusterBalancing, usualPanicThreshold } from '../model/cluster-balancing';
import {
  type Endpoint,
  type EndpointPriority,
  type LoadAssignment,
  type LocalityEndpoints,
  withFailures,
} from '../model/endpoints';
import { envoyPolicyOf } from '../model/envoy-policy';
import { withHealthChecks, withHostHealth } from '../model/host-health';
import { findPanics } from '../model/panic';
import { clientOf, type Profile } from '../xds/profile';
import { describeEndpointUse, describeFailingLoads, holdsEndpoints } from './endpoint-use';
import type { ResourceStore } from './resource-store';
import type { EndpointUse, UsedResource } from './xds-config';

/** A cluster without members, for which endpoints are resolved. */
export interface LeafContext {
  readonly store: ResourceStore;
  readonly name: string;
  readonly profile: Profile;
}

/** The endpoints with the health that an Envoy reports of its hosts: it balances on these, and EDS is one of its inputs. */
export function endpointsInUse(
  { store, name, profile }: LeafContext,
  stated: LoadAssignment,
  resource: UsedResource,
  { balancing, validatesNameOfRequest }: ClusterModel,
): { readonly assignment: LoadAssignment } & ReturnType<typeof describeEndpointUse> {
  const hosts = store.findHosts(name);
  const reported = hosts === undefined ? stated : withHostHealth(stated, hosts.hosts);
  const seen = withHealthChecks(reported, balancing.healthChecks);
  const { failing: measured } = store;
  const assignment = withFailures(
    seen,
    // Connections for another name than that of a request may fail.
    (address) => (validatesNameOfRequest ? undefined : findFailure(measured, name, address)),
    measured.loads.get(name),
  );
  const { use: used, ignored } = describeEndpointUse(assignment, resource, profile, balancing);
  const isSeen =
    hosts !== undefined || endpointsOf(stated.priorities).some((each) => each.seenAs !== undefined);
  const use = isSeen ? { ...used, hasHosts: true as const } : used;
  if (use.usable === 0 && holdsEndpoints(profile))
    return { assignment, use: { ...use, mayUseEarlier: true }, ignored };
  if (clientOf(profile) !== 'envoy') return { assignment, use, ignored };
  return { assignment, use: withPanic(use, assignment, balancing), ignored };
}

/** Adds the panic of an Envoy, in which it uses every endpoint of a priority. */
export function withPanic(
  use: EndpointUse,
  assignment: LoadAssignment,
  balancing: ClusterBalancing,
): EndpointUse {
  const threshold = balancing.panicThreshold ?? usualPanicThreshold;
  if (use.endpoints === 0 || envoyPolicyOf(balancing).zone.failsOnPanic) return use;
  const panics = findPanics(assignment, threshold).filter((at) => hasUnhealthy(assignment.priorities[at]));
  if (panics.length === 0) return use;
  const failing = localitiesOf(assignment.priorities).reduce(
    (count, { endpoints, isFailing }) =>
      count + endpoints.filter(({ failure }) => isFailing || failure !== undefined).length,
    0,
  );
  return { ...use, ...(failing > 0 && { failing }), panicThreshold: threshold };
}

function hasUnhealthy(priority: EndpointPriority | undefined): boolean {
  const all = priority === undefined ? [] : endpointsOf([priority]);
  return all.some(({ health }) => !usableHealths.includes(health));
}

const usableHealths: readonly string[] = ['HEALTHY', 'UNKNOWN', 'DEGRADED'];

/** Returns a note on endpoints that fail or are not usable, and on panic. Empty: there is nothing to note. */
export function noteOfEndpoints(subject: string, assignment: LoadAssignment, use: EndpointUse): string {
  const { priorities } = assignment;
  const { endpoints, usable, failing = 0, panicThreshold } = use;
  if (endpoints === 0) return `${subject} has no endpoints`;
  const failures = [
    ...describeFailingLoads(assignment),
    ...(failing === 0 ? [] : noteFailures(subject, priorities, use)),
  ].join('; ');
  if (usable > 0) {
    const panic = `fewer than ${panicThreshold}% of the endpoints of ${subject} are healthy: Envoy sends requests to all of them`;
    return [failures, panicThreshold === undefined ? '' : panic].filter(Boolean).join('; ');
  }
  const counted = countStates(endpointsOf(priorities));
  if (panicThreshold === undefined) return `${subject} has no usable endpoint: ${counted}`;
  const panic = `${subject} has no healthy endpoint (${counted}), so that Envoy uses all of them (panic threshold ${panicThreshold}%)`;
  return [panic, failures].filter(Boolean).join('; ');
}

/** As noteOfEndpoints(), of the endpoints that keepChosen() chose: its reason states that none is usable. */
export function noteOfSubset(assignment: LoadAssignment, use: EndpointUse): string {
  const isStated = use.usable === 0 && use.panicThreshold === undefined;
  return isStated ? '' : noteOfEndpoints('the subset', assignment, use);
}

/** "2 UNHEALTHY, 1 ejected by outlier detection" */
export function countStates(endpoints: readonly Endpoint[]): string {
  const states = new Map<string, number>();
  for (const { seenAs, health } of endpoints)
    states.set(seenAs || health, (states.get(seenAs || health) ?? 0) + 1);
  return [...states].map(([state, count]) => `${count} ${state}`).join(', ');
}

/** Requests that fail are reported of hosts of an Envoy, which uses degraded ones as well, and in panic all. */
function noteFailures(subject: string, priorities: LoadAssignment['priorities'], use: EndpointUse): string[] {
  const { endpoints, usable, failing = 0, panicThreshold } = use;
  const isPanic = panicThreshold !== undefined;
  const isUsed = ({ health }: Endpoint): boolean => isPanic || usableHealths.includes(health);
  const ofLocalities = localitiesOf(priorities).reduce(
    (count, { endpoints: own, isFailing }) =>
      count + (isFailing ? own.filter((each) => each.failure !== 'connection' && isUsed(each)).length : 0),
    0,
  );
  const byRequests = localitiesOf(priorities)
    .filter(({ isFailing }) => !isFailing)
    .flatMap(({ endpoints: own }) => own)
    .filter((each) => each.failure === 'requests' && isUsed(each)).length;
  const byConnection = failing - byRequests - ofLocalities;
  const total = isPanic ? endpoints : usable;
  const noun = isPanic ? 'endpoint' : 'usable endpoint';
  // Without a usable endpoint, the sentence before has named the subject.
  const of = usable > 0 ? ` of ${subject}` : '';
  const name = (count: number, all: 'any' | 'each'): string =>
    total === 1 ? `the only ${noun}${of}` : `${count === total ? all : count} of the ${total} ${noun}s${of}`;
  return [
    ...(byConnection > 0 ? [`the client cannot connect to ${name(byConnection, 'any')}`] : []),
    ...(byRequests > 0 ? [`every request to ${name(byRequests, 'each')} has failed`] : []),
  ];
}

function localitiesOf(priorities: LoadAssignment['priorities']): LocalityEndpoints[] {
  return priorities.flatMap(({ localities }) => localities);
}

export function endpointsOf(priorities: LoadAssignment['priorities']): Endpoint[] {
  return localitiesOf(priorities).flatMap((group) => group.endpoints);
}
