import { by } from '../../collections/compare';
import { inEffect } from '../../facts/effect';
import { describeFailingLoad } from '../../facts/failing-endpoints';
import { compareNames } from '../../format/compare-names';
import { formatCount, formatCounted } from '../../format/count';
import { formatLocality, formatShortLocality } from '../../format/locality';
import type { Endpoint, EndpointPriority, LoadAssignment, LocalityEndpoints } from '../../model/endpoints';
import type { GraphNodeStatus } from '../drawing/node-status';
import { ChildIds, childId, rootId } from './node-id';
import { describeReported, explainStatus, type ReportedResource } from './reported-resources';
import type { TopologyDraft } from './topology-draft';

/** Adds an EDS resource: the nodes of its priorities, which carry its status, or one node if it has none. */
export function addEndpoints(draft: TopologyDraft, resource: ReportedResource): void {
  const ownerId = rootId('endpoints', resource.row.name);
  const assignment = resource.model?.kind === 'endpoints' ? resource.model : undefined;
  if (assignment !== undefined && assignment.priorities.length > 0) {
    addPriorities(draft, { ownerId, assignment, resource, isDns: false, isEds: true });
    return;
  }
  const id = draft.addResource(
    resource,
    'endpoints',
    describeReported(resource) === '' ? ['no endpoints'] : [],
  );
  const isAwaited = resource.row.clientStatus === 'REQUESTED';
  if (assignment === undefined && !isAwaited && inEffect(resource.row).kind === 'none')
    draft.facts.empty.add(id);
}

export function priorityIdsOf(name: string, resource: ReportedResource | undefined): string[] {
  if (resource?.model?.kind !== 'endpoints') return [];
  return resource.model.priorities.map(({ priority }) => childId(rootId('endpoints', name), `P${priority}`));
}

export interface PrioritiesInput {
  /** The id of the cluster's node, or of the EDS resource, which the priorities' ids begin with. */
  readonly ownerId: string;
  readonly assignment: LoadAssignment;
  readonly resource: ReportedResource;
  /** Addresses are DNS names, whose health is not reported. */
  readonly isDns: boolean;
  /** An EDS resource, as opposed to endpoints that are inline in a cluster. */
  readonly isEds: boolean;
}

/** Adds priorities, localities and endpoints; returns the priorities' ids. */
export function addPriorities(draft: TopologyDraft, input: PrioritiesInput): string[] {
  const { ownerId, assignment, resource, isEds } = input;
  return assignment.priorities.map((priority) => {
    const parts = [isEds ? describeReported(resource) : '', formatEndpointCount({ priorities: [priority] })];
    const [first] = priority.localities;
    const id = draft.add(childId(ownerId, `P${priority.priority}`), resource, {
      ...(first !== undefined && { fieldPath: `${isEds ? '' : 'loadAssignment.'}endpoints[${first.index}]` }),
      kind: 'priority',
      name: `P${priority.priority}`,
      status: isEds ? (resource.row.state ?? 'NONE') : 'NONE',
      reason: isEds ? explainStatus(resource) : '',
      detail: parts.filter(Boolean).join(' · '),
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
  const prefix = input.isEds ? '' : 'loadAssignment.';
  const localityIds = new ChildIds(id);
  for (const { group, name, endpoints } of sortLocalities(localities)) {
    const fieldPath = `${prefix}endpoints[${group.index}]`;
    const localityId = draft.addChild(localityIds, name, 'priority', input.resource, {
      fieldPath,
      kind: 'locality',
      name: formatShortLocality(group.locality),
      ...(group.isFailing && { status: 'UNHEALTHY' as const }),
      detail: formatGroup(group, total, input, draft.isGrpc),
    });
    if (group.isFailing) draft.facts.failing.add(localityId);
    const endpointIds = new ChildIds(localityId);
    const indexes = new Map(group.endpoints.map((endpoint, index) => [endpoint, index]));
    for (const endpoint of endpoints) {
      const isFailing = endpoint.failure !== undefined && !input.isDns;
      const id = draft.addChild(endpointIds, endpoint.address, 'member', input.resource, {
        fieldPath: `${fieldPath}.lbEndpoints[${indexes.get(endpoint) ?? 0}]`,
        kind: 'endpoint',
        name: endpoint.address || 'no address',
        status: input.isDns ? 'NONE' : isFailing ? 'UNHEALTHY' : statusOf(endpoint.health),
        detail: formatEndpoint(endpoint, input.isDns, draft.lacksConnections),
      });
      if (isFailing) draft.facts.failing.add(id);
      if (endpoint.health === 'DEGRADED' && endpoint.seenAs !== undefined) draft.facts.degraded.add(id);
    }
  }
}

/** Localities by name, each with its endpoints by address: the order in which ChildIds numbers equal names. */
export function sortLocalities(localities: readonly LocalityEndpoints[]) {
  return localities
    .map((group) => ({
      group,
      name: formatLocality(group.locality),
      endpoints: group.endpoints.toSorted(by(({ address }) => address, compareNames)),
    }))
    .sort(by(({ name }) => name, compareNames));
}

/** UNKNOWN means that no health is reported. */
function statusOf(health: string): GraphNodeStatus {
  switch (health) {
    case 'UNKNOWN':
      return 'NONE';
    case 'HEALTHY':
    case 'UNHEALTHY':
    case 'DRAINING':
    case 'TIMEOUT':
    case 'DEGRADED':
      return health;
    default:
      return 'UNKNOWN';
  }
}

const unusedHealths: readonly (readonly [status: GraphNodeStatus, text: string])[] = [
  ['UNHEALTHY', 'unhealthy'],
  ['TIMEOUT', 'timed out'],
  ['DEGRADED', 'degraded'],
  ['DRAINING', 'draining'],
  ['UNKNOWN', 'of unknown health'],
];

/** "4 endpoints, 1 unhealthy". */
export function formatEndpointCount({ priorities }: Pick<LoadAssignment, 'priorities'>): string {
  let all = 0;
  let failing = 0;
  const unused = new Map<GraphNodeStatus, number>();
  for (const { localities } of priorities)
    for (const { endpoints } of localities)
      for (const { health, failure } of endpoints) {
        all += 1;
        if (failure !== undefined && (health === 'HEALTHY' || health === 'UNKNOWN')) {
          failing += 1;
          continue;
        }
        // gRFC A27: clients use only HEALTHY and UNKNOWN endpoints.
        if (health === 'HEALTHY' || health === 'UNKNOWN') continue;
        const status = statusOf(health);
        unused.set(status, (unused.get(status) ?? 0) + 1);
      }
  if (all === 0) return 'no endpoints';
  const counts = unusedHealths.map(([status, text]) => {
    const affected = unused.get(status);
    return affected === undefined ? '' : `, ${formatCount(affected)} ${text}`;
  });
  const fail = failing === 0 ? '' : `, ${formatCount(failing)} ${failing === 1 ? 'fails' : 'fail'}`;
  return `${formatCounted(all, 'endpoint')}${fail}${counts.join('')}`;
}

function formatGroup(
  group: LocalityEndpoints,
  totalWeight: number,
  { isEds, assignment: { failingLoad } }: PrioritiesInput,
  isGrpc: boolean,
): string {
  const parts = [formatEndpointCount({ priorities: [{ priority: 0, localities: [group] }] })];
  if (group.ledsCollection !== '') parts.push('more by LEDS');
  if (group.weight) {
    parts.unshift(
      group.weight === totalWeight ? `weight ${group.weight}` : `weight ${group.weight} of ${totalWeight}`,
    );
  } else if (isEds) {
    // Envoy uses it, unless localities are weighted.
    parts.unshift(`${group.weight === 0 ? 'weight 0' : 'no weight'}${isGrpc ? ': gRPC skips it' : ''}`);
  }
  if (group.isFailing && failingLoad !== undefined) parts.unshift(describeFailingLoad(failingLoad));
  return parts.join(' · ');
}

function formatEndpoint(
  { health, weight, hostname, additionalAddresses, failure, seenAs = '' }: Endpoint,
  isDns: boolean,
  lacksConnections: boolean,
): string {
  const parts = [
    seenAs === '' ? '' : `Envoy: ${seenAs}`,
    failure === 'requests' ? 'every request has failed' : '',
    isDns ? 'resolved by DNS' : health === 'UNKNOWN' ? 'health not reported' : '',
    statusOf(health) === 'UNKNOWN' ? `health ${health}` : '',
    health === 'HEALTHY' && lacksConnections ? 'connections not reported' : '',
    weight === undefined || weight === 1 ? '' : `weight ${weight}`,
    hostname,
    additionalAddresses.length > 0 ? `also ${additionalAddresses.join(', ')}` : '',
  ];
  return parts.filter(Boolean).join(' · ');
}
