import type { ClusterDiscovery, ClusterModel } from '../../model/cluster';
import { usualPanicThreshold } from '../../model/cluster-balancing';
import type { LoadAssignment } from '../../model/endpoints';
import { EDS } from '../../xds/resource-type';
import { addPriorities, formatEndpointCount, type PrioritiesInput, priorityIdsOf } from './add-endpoints';
import type { HeldResource, HeldResources } from './held-resources';
import type { TopologyDraft } from './topology-draft';

export function addCluster(draft: TopologyDraft, cluster: HeldResource): void {
  const { name: by } = cluster.row;
  const model = cluster.model?.kind === 'cluster' ? cluster.model : undefined;
  if (model === undefined) {
    draft.addResource(cluster, 'cluster');
    return;
  }
  const own = findOwnEndpoints(draft.held, cluster, model.discovery);
  const assignment = own?.assignment ?? findDelivered(draft.held, model.discovery);
  const id = draft.addResource(cluster, 'cluster', [
    assignment === undefined ? '' : formatEndpointCount(assignment),
    formatDiscovery(model.discovery, by),
    // An aggregate has no policy of its own (gRFC A75).
    model.discovery.kind === 'aggregate' ? '' : formatPolicy(model.lbPolicies),
    assignment === undefined ? '' : formatDrops(assignment),
  ]);
  if (mayPanic(cluster, model, assignment)) draft.panicking.add(id);
  addDiscovery(draft, id, cluster, model.discovery);
  if (own !== undefined)
    for (const priority of addPriorities(draft, { ...own, ownerId: id, isEds: false }))
      draft.connect(id, 'priority', priority);
  for (const name of model.secrets) draft.refer(id, { edge: 'tls', to: 'secret', name, by });
}

/** Only Envoy panics, which its config dump (with stages) or its reports on hosts show. */
function mayPanic(
  { row }: HeldResource,
  { balancing: { panicThreshold, failsOnPanic } }: ClusterModel,
  assignment: LoadAssignment | undefined,
): boolean {
  const isOfEnvoy =
    row.stage !== undefined ||
    assignment?.priorities.some(({ localities }) =>
      localities.some(({ endpoints }) => endpoints.some(({ seenAs }) => seenAs !== undefined)),
    ) === true;
  return isOfEnvoy && (panicThreshold ?? usualPanicThreshold) > 0 && !failsOnPanic;
}

function addDiscovery(
  draft: TopologyDraft,
  id: string,
  cluster: HeldResource,
  discovery: ClusterDiscovery,
): void {
  const by = cluster.row.name;
  switch (discovery.kind) {
    case 'eds': {
      const name = discovery.serviceName;
      const priorities = priorityIdsOf(name, draft.held.find(EDS.typeUrl, name));
      for (const priority of priorities) draft.connect(id, 'eds', priority);
      if (priorities.length === 0) draft.refer(id, { edge: 'eds', to: 'endpoints', name, by });
      break;
    }
    case 'aggregate':
      // gRFC A37: of a name that is listed again only the first place counts.
      [...new Set(discovery.clusters)].forEach((name, index) => {
        const label = index === 0 ? 'first' : `fallback ${index}`;
        draft.refer(id, { edge: 'aggregate', to: 'cluster', name, by, label });
      });
      break;
    default:
  }
}

/**
 * Returns the endpoints of a cluster that does not use EDS: those that Envoy lists in its config dump, else those in
 * the cluster.
 */
export function findOwnEndpoints(
  held: HeldResources,
  cluster: HeldResource,
  discovery: ClusterDiscovery,
): Pick<PrioritiesInput, 'assignment' | 'resource' | 'isDns'> | undefined {
  const listed = held.findOwnEndpoints(cluster.row.name);
  const hasInline = 'assignment' in discovery;
  if (listed?.model?.kind === 'endpoints' && (hasInline || listed.model.priorities.length > 0))
    return { assignment: listed.model, resource: listed, isDns: false };
  if (!hasInline) return undefined;
  return { assignment: discovery.assignment, resource: cluster, isDns: discovery.kind !== 'static' };
}

export function findDelivered(held: HeldResources, discovery: ClusterDiscovery): LoadAssignment | undefined {
  if (discovery.kind !== 'eds') return undefined;
  const model = held.find(EDS.typeUrl, discovery.serviceName)?.model;
  return model?.kind === 'endpoints' ? model : undefined;
}

function formatDiscovery(discovery: ClusterDiscovery, clusterName: string): string {
  switch (discovery.kind) {
    case 'eds':
      return discovery.serviceName === clusterName ? 'EDS' : `EDS ${discovery.serviceName}`;
    case 'aggregate':
      return `aggregate of ${new Set(discovery.clusters).size}`;
    case 'custom':
      return discovery.name;
    case 'original-dst':
      return 'original destination';
    case 'static':
      return 'static';
    case 'logical-dns':
      return 'logical DNS';
    case 'strict-dns':
      return 'strict DNS';
  }
}

function formatPolicy(policies: readonly string[]): string {
  const shortNames = policies.map((policy) => policy.slice(policy.lastIndexOf('.') + 1));
  return shortNames.join(' or ').toLowerCase().replaceAll('_', ' ');
}

function formatDrops({ dropOverloads }: LoadAssignment): string {
  const drops = dropOverloads.map(({ category, percent }) => `drops ${percent ?? '?'}% ${category}`.trim());
  return drops.join(', ');
}
