import type { GraphNodeStatus } from '../../api/schema';
import { compareNames } from '../../format/compare-names';
import { formatCount, formatCounted } from '../../format/count';
import { formatLocality, formatShortLocality } from '../../format/locality';
import type { Endpoint, EndpointPriority, LoadAssignment, LocalityEndpoints } from '../../model/endpoints';
import { formatStanding, type HeldResource, reasonOf } from './held-resources';
import { ChildIds, childId, rootId } from './node-id';
import type { TopologyDraft } from './topology-draft';

/** An EDS resource. Its priorities stand for it and carry its status; without any, one node does. */
export function addEndpoints(draft: TopologyDraft, resource: HeldResource): void {
  const ownerId = rootId('endpoints', resource.row.name);
  const assignment = resource.model?.kind === 'endpoints' ? resource.model : undefined;
  if (assignment !== undefined && assignment.priorities.length > 0) {
    addPriorities(draft, { ownerId, assignment, resource, isDns: false, isEds: true });
    return;
  }
  draft.add(ownerId, resource, {
    kind: 'endpoints',
    name: resource.row.name,
    status: resource.row.clientStatus,
    reason: reasonOf(resource),
    detail: formatStanding(resource) || 'no endpoints',
  });
}

/** The nodes that stand for an EDS resource with endpoints; empty when there are none to show. */
export function priorityIdsOf(name: string, resource: HeldResource | undefined): string[] {
  if (resource?.model?.kind !== 'endpoints') return [];
  return resource.model.priorities.map(({ priority }) => childId(rootId('endpoints', name), `P${priority}`));
}

export interface PrioritiesInput {
  /** The node, or the resource, under whose id the priorities are. */
  readonly ownerId: string;
  readonly assignment: LoadAssignment;
  readonly resource: HeldResource;
  /** Addresses are names for DNS: no source reports their health. */
  readonly isDns: boolean;
  /** An EDS resource of its own, rather than inline in a cluster. */
  readonly isEds: boolean;
}

/** Adds priorities, localities and endpoints; returns the priorities' ids. */
export function addPriorities(draft: TopologyDraft, input: PrioritiesInput): string[] {
  const { ownerId, assignment, resource, isEds } = input;
  return assignment.priorities.map((priority) => {
    const summary = [isEds ? formatStanding(resource) : '', formatEndpointCount({ priorities: [priority] })];
    const id = draft.add(childId(ownerId, `P${priority.priority}`), resource, {
      kind: 'priority',
      name: `P${priority.priority}`,
      status: isEds ? resource.row.clientStatus : 'NONE',
      reason: isEds ? reasonOf(resource) : '',
      detail: summary.filter((part) => part !== '').join(' · '),
    });
    addLocalities(draft, id, priority, input);
    return id;
  });
}

function addLocalities(
  draft: TopologyDraft,
  id: string,
  { localities }: EndpointPriority,
  input: PrioritiesInput,
): void {
  const total = localities.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  const named = localities.map((group) => ({ group, name: formatLocality(group.locality) }));
  named.sort((a, b) => compareNames(a.name, b.name));
  const localityIds = new ChildIds(id);
  for (const { group, name } of named) {
    const localityId = draft.addChild(localityIds, name, 'priority', input.resource, {
      kind: 'locality',
      name: formatShortLocality(group.locality),
      detail: formatGroup(group, total, input),
    });
    const endpointIds = new ChildIds(localityId);
    const endpoints = [...group.endpoints].sort((a, b) => compareNames(a.address, b.address));
    for (const endpoint of endpoints) {
      draft.addChild(endpointIds, endpoint.address, 'member', input.resource, {
        kind: 'endpoint',
        name: endpoint.address || 'no address',
        status: input.isDns ? 'NONE' : statusOf(endpoint.health),
        detail: formatEndpoint(endpoint, input.isDns),
      });
    }
  }
}

/** gRFC A27: only HEALTHY and UNKNOWN endpoints are used; UNKNOWN is what no source reported. */
function statusOf(health: string): GraphNodeStatus {
  switch (health) {
    case 'HEALTHY':
    case 'UNKNOWN':
      return 'HEALTHY';
    case 'UNHEALTHY':
    case 'DRAINING':
    case 'TIMEOUT':
    case 'DEGRADED':
      return health;
    default:
      return 'UNKNOWN';
  }
}

const healthWords: readonly (readonly [status: GraphNodeStatus, word: string])[] = [
  ['UNHEALTHY', 'unhealthy'],
  ['TIMEOUT', 'timed out'],
  ['DEGRADED', 'degraded'],
  ['DRAINING', 'draining'],
  ['UNKNOWN', 'of unknown health'],
];

/** "4 endpoints, 1 unhealthy". */
export function formatEndpointCount({ priorities }: Pick<LoadAssignment, 'priorities'>): string {
  let total = 0;
  const bad: Endpoint[] = [];
  for (const { localities } of priorities) {
    for (const { endpoints } of localities) {
      total += endpoints.length;
      for (const endpoint of endpoints) if (statusOf(endpoint.health) !== 'HEALTHY') bad.push(endpoint);
    }
  }
  if (total === 0) return 'no endpoints';
  const count = formatCounted(total, 'endpoint');
  if (bad.length === 0) return count;
  const words = healthWords.map(([status, word]) => {
    const affected = bad.filter(({ health }) => statusOf(health) === status).length;
    return affected === 0 ? '' : `, ${formatCount(affected)} ${word}`;
  });
  return `${count}${words.join('')}`;
}

function formatGroup(group: LocalityEndpoints, totalWeight: number, { isEds }: PrioritiesInput): string {
  const parts = [formatEndpointCount({ priorities: [{ priority: 0, localities: [group] }] })];
  if (group.ledsCollection !== '') parts.push('more by LEDS');
  if (group.weight) {
    parts.unshift(
      group.weight === totalWeight ? `weight ${group.weight}` : `weight ${group.weight} of ${totalWeight}`,
    );
  } else if (isEds) {
    parts.unshift(group.weight === 0 ? 'weight 0: gRPC skips it' : 'no weight: gRPC skips it');
  }
  return parts.join(' · ');
}

function formatEndpoint(
  { health, weight, hostname, additionalAddresses, seenAs = '' }: Endpoint,
  isDns: boolean,
): string {
  const parts = [
    seenAs === '' ? '' : `Envoy: ${seenAs}`,
    isDns ? 'resolved by DNS' : health === 'UNKNOWN' ? 'health not reported' : '',
    statusOf(health) === 'UNKNOWN' ? `health ${health}` : '',
    weight === null || weight === 1 ? '' : `weight ${weight}`,
    hostname,
    additionalAddresses.length > 0 ? `also ${additionalAddresses.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
