import { describeBreaker, describeFailingLoad } from '../../facts/failing-endpoints';
import { maxRequestsOf, whyNothingAdmitted } from '../../model/admission';
import type { ClusterDiscovery, ClusterModel } from '../../model/cluster';
import { usualPanicThreshold } from '../../model/cluster-balancing';
import type { LoadAssignment } from '../../model/endpoints';
import { describeSubsets, envoyPolicyOf, findNotModelled } from '../../model/envoy-policy';
import { findPanics } from '../../model/panic';
import { isTooSmallForZones } from '../../model/zone-config';
import { EDS } from '../../xds/resource-type';
import { addPriorities, formatEndpointCount, type PrioritiesInput, priorityIdsOf } from './add-endpoints';
import type { ReportedResource, ReportedResources } from './reported-resources';
import type { TopologyDraft } from './topology-draft';

export function addCluster(draft: TopologyDraft, cluster: ReportedResource): void {
  const { name: by } = cluster.row;
  const model = cluster.model?.kind === 'cluster' ? cluster.model : undefined;
  if (model === undefined) {
    draft.addResource(cluster, 'cluster');
    return;
  }
  const own = findOwnEndpoints(draft.reported, cluster, model.discovery);
  const assignment = own?.assignment ?? findDelivered(draft.reported, model.discovery);
  const isOfEnvoy = isKnownEnvoy(cluster, assignment);
  const id = draft.addResource(cluster, 'cluster', [
    assignment === undefined ? '' : formatEndpointCount(assignment),
    // A detail is cut at its end.
    ...(isOfEnvoy ? formatChoices(model, assignment) : []),
    model.validatesNameOfRequest ? 'certificates validated by auto_san_validation' : '',
    formatDiscovery(model.discovery, by),
    // An aggregate has no policy of its own (gRFC A75).
    model.discovery.kind === 'aggregate' ? '' : formatPolicy(model.lbPolicies),
    assignment === undefined ? '' : formatDrops(assignment),
  ]);
  if (own?.assignment.priorities.length === 0) draft.facts.empty.add(id);
  if (isOfEnvoy) addFacts(draft, id, model, assignment);
  const closure = draft.isGrpc ? whyClosed(model, assignment ?? null) : '';
  const load = draft.reported.loadOf(cluster.row.name);
  if (load?.isWhole) draft.facts.closed.set(id, describeFailingLoad(load));
  const breaker = draft.reported.breakerOf(cluster.row.name);
  if (breaker !== undefined) draft.facts.limited.set(id, describeBreaker(breaker));
  if (closure !== '') draft.facts.closed.set(id, closure);
  addDiscovery(draft, id, cluster, model.discovery);
  if (own !== undefined)
    for (const priority of addPriorities(draft, { ...own, ownerId: id, isEds: false }))
      draft.connect(id, 'priority', priority);
  for (const name of model.secrets) draft.refer(id, { edge: 'tls', to: 'secret', name, by });
}

/** Clients read different thresholds of a circuit breaker. */
function whyClosed({ balancing }: ClusterModel, assignment: LoadAssignment | null): string {
  const [first = '', second = ''] = (['core', 'node'] as const).map((client) =>
    whyNothingAdmitted(balancing, assignment, client),
  );
  return second === '' ? '' : first;
}

/** An Envoy is known by its config dump, with stages, or by its reports on hosts. */
export function isKnownEnvoy({ row }: ReportedResource, assignment: LoadAssignment | undefined): boolean {
  return (
    row.stage !== undefined ||
    assignment?.priorities.some(({ localities }) =>
      localities.some(({ endpoints }) => endpoints.some(({ seenAs }) => seenAs !== undefined)),
    ) === true
  );
}

const noRequest = 'no request allowed by its circuit breaker (max_requests 0)';

function addFacts(
  { facts }: TopologyDraft,
  id: string,
  { balancing }: ClusterModel,
  assignment: LoadAssignment | undefined,
): void {
  const { panicThreshold } = balancing;
  const { failsOnPanic } = envoyPolicyOf(balancing).zone;
  const panics =
    assignment === undefined ? [] : findPanics(assignment, panicThreshold ?? usualPanicThreshold);
  if (panics.length > 0 && !failsOnPanic) facts.panicking.add(id);
  if (maxRequestsOf(balancing, 'envoy') === 0) facts.closed.set(id, noRequest);
}

/** The settings by which Envoy chooses hosts before their health and weights decide. */
function formatChoices({ balancing }: ClusterModel, assignment: LoadAssignment | undefined): string[] {
  const { zone: config } = envoyPolicyOf(balancing);
  const isTooSmall = assignment !== undefined && isTooSmallForZones(config, assignment);
  const texts = [...findNotModelled(balancing), describeSubsets(balancing)];
  const settings = new Set(texts.map((text) => text.slice(0, Math.max(0, text.indexOf(': ')))));
  if (config.isSet && !isTooSmall) settings.add('zone_aware_lb_config');
  settings.delete('');
  return [
    settings.size === 0 ? '' : `hosts chosen by ${[...settings].join(', ')}`,
    balancing.isLocalityWeighted ? 'hosts chosen by locality_weighted_lb_config' : '',
    maxRequestsOf(balancing, 'envoy') === 0 ? 'max_requests 0' : '',
  ];
}

function addDiscovery(
  draft: TopologyDraft,
  id: string,
  cluster: ReportedResource,
  discovery: ClusterDiscovery,
): void {
  const by = cluster.row.name;
  switch (discovery.kind) {
    case 'eds': {
      const name = discovery.serviceName;
      const priorities = priorityIdsOf(name, draft.reported.find(EDS.typeUrl, name));
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
  resources: ReportedResources,
  cluster: ReportedResource,
  discovery: ClusterDiscovery,
): Pick<PrioritiesInput, 'assignment' | 'resource' | 'isDns'> | undefined {
  const listed = resources.findOwnEndpoints(cluster.row.name);
  const hasInline = 'assignment' in discovery;
  if (listed?.model?.kind === 'endpoints' && (hasInline || listed.model.priorities.length > 0))
    return { assignment: listed.model, resource: listed, isDns: false };
  if (!hasInline) return undefined;
  const assignment = resources.withFailures(cluster.row.name, discovery.assignment);
  return { assignment, resource: cluster, isDns: discovery.kind !== 'static' };
}

export function findDelivered(
  resources: ReportedResources,
  discovery: ClusterDiscovery,
): LoadAssignment | undefined {
  if (discovery.kind !== 'eds') return undefined;
  const model = resources.find(EDS.typeUrl, discovery.serviceName)?.model;
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
