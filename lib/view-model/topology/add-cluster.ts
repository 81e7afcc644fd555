import type { ClusterDiscovery } from '../../model/cluster';
import type { LoadAssignment } from '../../model/endpoints';
import { CDS, EDS, SDS } from '../../xds/resource-type';
import { addPriorities, formatEndpointCount, priorityIdsOf } from './add-endpoints';
import { formatStanding, type HeldResource, reasonOf } from './held-resources';
import { rootId } from './node-id';
import type { TopologyDraft } from './topology-draft';

/** A cluster, the endpoints that are inline in it, and its references. */
export function addCluster(draft: TopologyDraft, cluster: HeldResource): void {
  const { row } = cluster;
  const model = cluster.model?.kind === 'cluster' ? cluster.model : undefined;
  const assignment = model === undefined ? undefined : findAssignment(draft, model.discovery);
  const parts = [
    formatStanding(cluster),
    assignment === undefined ? '' : formatEndpointCount(assignment),
    model === undefined ? '' : formatDiscovery(model.discovery, row.name),
    // An aggregate has no policy of its own (gRFC A75).
    model === undefined || model.discovery.kind === 'aggregate' ? '' : formatPolicy(model.lbPolicies),
    assignment === undefined ? '' : formatDrops(assignment),
  ];
  const id = draft.add(rootId('cluster', row.name), cluster, {
    kind: 'cluster',
    name: row.name,
    status: row.clientStatus,
    reason: reasonOf(cluster),
    detail: parts.filter((part) => part !== '').join(' · '),
  });
  if (model === undefined) return;
  addDiscovery(draft, id, cluster, model.discovery);
  for (const name of model.secrets) {
    draft.refer(id, 'tls', { kind: 'secret', typeUrl: SDS.typeUrl, name }, row.name);
  }
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
      const endpoints = draft.held.find(EDS.typeUrl, discovery.serviceName);
      const heads = priorityIdsOf(discovery.serviceName, endpoints);
      for (const head of heads) draft.connect(id, 'eds', head);
      const target = { kind: 'endpoints', typeUrl: EDS.typeUrl, name: discovery.serviceName } as const;
      if (heads.length === 0) draft.refer(id, 'eds', target, by);
      break;
    }
    case 'aggregate':
      // gRFC A37: a name that comes again keeps its earliest place.
      [...new Set(discovery.clusters)].forEach((name, index) => {
        const label = index === 0 ? 'first' : `fallback ${index}`;
        draft.refer(id, 'aggregate', { kind: 'cluster', typeUrl: CDS.typeUrl, name }, by, label);
      });
      break;
    case 'static':
    case 'logical-dns':
    case 'strict-dns': {
      const isDns = discovery.kind !== 'static';
      for (const priority of addPriorities(draft, {
        ownerId: id,
        assignment: discovery.assignment,
        isDns,
        resource: cluster,
        isEds: false,
      })) {
        draft.connect(id, 'priority', priority);
      }
      break;
    }
    case 'original-dst':
    case 'custom':
  }
}

function findAssignment(draft: TopologyDraft, discovery: ClusterDiscovery): LoadAssignment | undefined {
  if ('assignment' in discovery) return discovery.assignment;
  if (discovery.kind !== 'eds') return undefined;
  const model = draft.held.find(EDS.typeUrl, discovery.serviceName)?.model;
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
  const words = policies.map((policy) =>
    policy
      .slice(policy.lastIndexOf('.') + 1)
      .toLowerCase()
      .replaceAll('_', ' '),
  );
  return words.join(' or ');
}

function formatDrops({ dropOverloads }: LoadAssignment): string {
  const drops = dropOverloads.map(({ category, percent }) => `drops ${percent ?? '?'} % ${category}`.trim());
  return drops.join(', ');
}
