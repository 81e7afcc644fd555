import { formatCounted } from '../../format/count';
import { formatLocality } from '../../format/locality';
import { whyNoEjection } from '../../model/outlier-detection';
import { type ChosenBy, chooseForRequest } from '../../resolve/choose-for-request';
import { describeFailingLoads } from '../../resolve/endpoint-use';
import { assignmentOf } from '../../resolve/leaf-assignment';
import { splitZones } from '../../resolve/split-zones';
import { describeSubsetRequests } from '../../resolve/subset-requests';
import type { ClusterConfig, ClusterEntry } from '../../resolve/xds-config';
import { isWaiting } from '../../resolve/xds-config';
import type { Profile } from '../../xds/profile';
import { CDS, formatResourceType } from '../../xds/resource-type';
import { defaultOverprovisioningFactor } from '../envoy/availability';
import { envoyBalancingOf, whyApproximate } from '../envoy/envoy-balancing';
import { grpcClientOf } from '../grpc-profile';
import { choosePolicy, whyLeafRejected, whyRejected } from '../tree/choose-policy';
import { dropPercentOf } from '../tree/cluster-layers';
import type { TrafficCluster, TrafficPriority, UnusedConfig } from './traffic-cluster';
import { endpointPolicies } from './traffic-cluster';

export interface ClusterTraffic {
  readonly cluster: TrafficCluster;
  /** Share of all requests that is dropped before an endpoint is chosen, in per cent. */
  readonly dropPercent: number;
  /** Differences from the config alone, one sentence each. */
  readonly notes: readonly string[];
  readonly grpcNotes: readonly string[];
  readonly envoyNotes: readonly string[];
}

interface Leaf {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly isRejected: boolean;
}

/**
 * A cluster of the resolved config, or an aggregate with the priorities of all its leaves. Returns a string with the
 * reason if there is none. With `request`, what an Envoy does with such requests alone; without, with all of them, which is known
 * of subsets if all have the same metadata.
 */
export function trafficOfCluster(
  name: string,
  profile: Profile,
  findCluster: (name: string) => ClusterEntry | undefined,
  request?: ChosenBy,
): ClusterTraffic | string {
  const found = configOf(findCluster(name));
  if (typeof found === 'string') return `cluster "${name}": ${found}`;
  const chosenBy = request ?? allRequests(found);
  const { config, subset } = chosenBy === undefined ? { config: found } : chooseForRequest(found, chosenBy);
  const isAggregate = config.children.kind === 'aggregate';
  const notes: string[] = [];
  const grpcNotes: string[] = [];
  const leaves: Leaf[] = [];
  if (config.children.kind === 'aggregate') {
    for (const leaf of config.children.leafClusters) {
      const found = configOf(findCluster(leaf));
      const rejection = typeof found === 'string' ? '' : whyLeafRejected(found, profile);
      const problem = typeof found === 'string' ? found : rejection;
      if (problem !== '') notes.push(`leaf cluster "${leaf}": ${problem}`);
      if (typeof found !== 'string') leaves.push({ name: leaf, config: found, isRejected: rejection !== '' });
    }
    for (const { name: member, reason } of config.children.skipped)
      notes.push(`leaf cluster "${member}" is skipped: ${reason}`);
  } else leaves.push({ name, config, isRejected: false });
  const onDemand = leaves.find((leaf) => leaf.config.children.kind === 'other');
  if (onDemand?.config.children.kind === 'other') {
    const { name: type, resolutionNote } = onDemand.config.children;
    return `cluster "${onDemand.name}" (${type}): ${resolutionNote}, so that the shares of endpoints are not known`;
  }
  const first = leaves[0]?.config ?? config;
  const cluster: TrafficCluster = {
    priorities: leaves.flatMap((leaf) => {
      const own = grpcClientOf(profile) === 'go' && isAggregate ? config : leaf.config;
      return prioritiesOf(leaf.name, leaf.config, isAggregate).map((priority) => ({
        ...priority,
        isRejected: leaf.isRejected,
        ...endpointPolicyOf(own, leaf.config, profile),
      }));
    }),
    profile,
    unused: whyUnused(name, config, profile, findCluster),
    panicThreshold: envoyBalancingOf(config.balancing).panicThreshold,
  };
  if (leaves.some((leaf) => isUnresolved(leaf.config)))
    notes.push('a DNS name counts as one endpoint, because its addresses are not known');
  for (const leaf of leaves) {
    const ofLeaf = (text: string): string => (isAggregate ? `cluster "${leaf.name}": ${text}` : text);
    notes.unshift(...describeFailing(leaf.config).map(ofLeaf));
    grpcNotes.unshift(...describeDetection(leaf.config, profile).map(ofLeaf));
  }
  grpcNotes.push(...policyNotes(leaves, cluster));
  const { whyNothingAdmitted } = first;
  if (whyNothingAdmitted !== undefined) notes.unshift(whyNothingAdmitted);
  return {
    cluster,
    dropPercent: whyNothingAdmitted === undefined ? dropPercentOf(first) : 100,
    notes,
    grpcNotes,
    envoyNotes: [...(subset === undefined ? [] : [subset]), ...envoyNotesOf(cluster.priorities, isAggregate)],
  };
}

/** All requests to a cluster of which subsets are chosen; undefined if none are. */
function allRequests({ subsets = [] }: ClusterConfig): ChosenBy | undefined {
  const [first] = subsets;
  if (first === undefined || subsets.length === 1) return first?.requests;
  const kinds = subsets.slice(0, 5).map(({ requests }) => describeSubsetRequests(requests));
  const more = subsets.length > kinds.length ? ` and ${subsets.length - kinds.length} other kinds` : '';
  return {
    criteria: undefined,
    doubt: `they differ between ${kinds.join(', ')}${more}`,
  };
}

/** gRFC A74: a config is used only when all of it was received, the members of an aggregate included. */
function whyUnused(
  name: string,
  config: ClusterConfig,
  profile: Profile,
  findCluster: (name: string) => ClusterEntry | undefined,
): UnusedConfig | null {
  const { children } = config;
  const isAggregate = children.kind === 'aggregate';
  const members = isAggregate ? [...children.waiting, ...children.leafClusters] : [name];
  for (const member of members) {
    const entry = findCluster(member);
    const missing = entry?.missing.find(isWaiting);
    if (entry !== undefined && missing === undefined) continue;
    const subject = `${formatResourceType(missing?.typeUrl ?? CDS.typeUrl)} "${missing?.name ?? member}"`;
    const reason = `the client uses the cluster only when all of it was received, and ${subject} was not: ${missing?.text ?? 'not reported yet'}`;
    return { outcome: 'waiting', reason };
  }
  const reason = isAggregate && grpcClientOf(profile) !== 'go' ? '' : whyRejected(config, profile);
  return reason === '' ? null : { outcome: 'failing', reason };
}

/** Describes what the choice of pick_first depends on besides the config. */
function policyNotes(
  leaves: readonly { readonly config: ClusterConfig }[],
  cluster: TrafficCluster,
): string[] {
  const { profile, priorities } = cluster;
  if (!priorities.some(({ policy }) => policy === 'pick_first')) return [];
  const notes = leaves.some(({ config }) => isShuffled(config, profile))
    ? ['pick_first shuffles the endpoints (shuffle_address_list): the first of the resource is shown']
    : [];
  if (grpcClientOf(profile) === 'core')
    notes.push(
      'C-core keeps an endpoint that is READY when the policy or the list changes, so that pick_first can use another than the first',
    );
  return notes;
}

function isShuffled({ balancing }: ClusterConfig, profile: Profile): boolean {
  const { chosen } = choosePolicy(balancing, profile);
  return (chosen?.inner?.chosen ?? chosen)?.config.shuffleAddressList === true;
}

function configOf(entry: ClusterEntry | undefined): ClusterConfig | string {
  if (entry === undefined) return 'the client does not have it';
  if (entry.config === null) return entry.missing[0]?.text ?? 'not reported yet';
  return entry.config.ok ? entry.config.value : entry.config.error;
}

function prioritiesOf(
  cluster: string,
  config: ClusterConfig,
  isLeaf: boolean,
): Omit<TrafficPriority, 'policy' | 'unknownPolicy' | 'isByLocality' | 'isRejected'>[] {
  const nameOf = (priority: number): string => (isLeaf ? `${cluster} P${priority}` : `P${priority}`);
  const { priorities, overprovisioningFactor, weightedPriorityHealth } = assignmentOf(config);
  const balancing = envoyBalancingOf(config.balancing);
  const notModelled =
    config.notModelled ?? [balancing.notModelled, config.choiceOfEnvoy ?? ''].filter(Boolean).join('; ');
  const envoy = { ...balancing, notModelled };
  return priorities.map(({ priority, localities }) => ({
    name: nameOf(priority),
    cluster,
    priority,
    overprovisioningFactor: overprovisioningFactor ?? defaultOverprovisioningFactor,
    weightedPriorityHealth,
    envoy,
    ...(priority === 0 && config.zone && { zone: config.zone }),
    ...(isUnresolved(config) && { isUnresolved: true as const }),
    ...(hasHosts(config) && { hasHosts: true as const }),
    localities: localities.map(({ locality, weight, isFailing, endpoints }) => ({
      name: formatLocality(locality),
      weight,
      ...(isFailing && { isFailing }),
      endpoints: endpoints.map((each) => ({
        address: each.address,
        health: each.health,
        ...(each.seenAs !== undefined && { seenAs: each.seenAs }),
        ...(each.failure !== undefined && { failure: each.failure }),
        weight: each.weight ?? 1,
        ...(typeof each.metadata?.hash_key === 'string' &&
          each.metadata.hash_key !== '' && { hashKey: each.metadata.hash_key }),
      })),
    })),
  }));
}

/** States if gRPC ejects no endpoint although the cluster configures it. */
function describeDetection({ balancing }: ClusterConfig, profile: Profile): string[] {
  const why = whyNoEjection(balancing.outlierDetection, grpcClientOf(profile));
  return why === '' ? [] : [`outlier_detection ejects no endpoint: ${why}`];
}

/** What fails by load reports, one sentence each. */
function describeFailing(config: ClusterConfig): string[] {
  const { children } = config;
  if (children.kind !== 'dns' || children.resolved !== null)
    return describeFailingLoads(assignmentOf(config));
  return children.use.failingLoad === 'all' ? [children.resolutionNote] : [];
}

function isUnresolved({ children }: ClusterConfig): boolean {
  return children.kind === 'dns' && children.resolved === null;
}

function hasHosts({ children }: ClusterConfig): boolean {
  return (children.kind === 'dns' || children.kind === 'endpoints') && children.use.hasHosts === true;
}

function endpointPolicyOf(
  { balancing }: ClusterConfig,
  { children }: ClusterConfig,
  profile: Profile,
): Pick<TrafficPriority, 'policy' | 'unknownPolicy' | 'isByLocality'> {
  if (grpcClientOf(profile) === 'node' && children.kind === 'dns')
    return { policy: 'pick_first', isByLocality: false };
  const { chosen } = choosePolicy(balancing, profile);
  const leaf = chosen?.inner?.chosen ?? chosen;
  const policy = endpointPolicies.find((each) => each === leaf?.policy) ?? 'other';
  return {
    policy,
    ...(policy === 'other' && leaf && { unknownPolicy: leaf.policy }),
    isByLocality: chosen?.isLocalityPolicy ?? false,
  };
}

function isHealthy(health: string): boolean {
  return health === 'HEALTHY' || health === 'UNKNOWN';
}

/**
 * Describes where Envoy's behavior differs from what the config alone suggests, one sentence each; for an aggregate,
 * for each leaf cluster.
 */
function envoyNotesOf(priorities: readonly TrafficPriority[], isAggregate: boolean): string[] {
  const leaves = [...new Set(priorities.map(({ cluster }) => cluster))];
  const ofNote = new Map<string, string[]>();
  for (const leaf of leaves)
    for (const note of notesOfLeaf(priorities.filter(({ cluster }) => cluster === leaf)))
      ofNote.set(note, [...(ofNote.get(note) ?? []), leaf]);
  const notes = [...ofNote].map(([note, those]) =>
    those.length === leaves.length ? note : `${those.map((leaf) => `cluster "${leaf}"`).join(', ')}: ${note}`,
  );
  return isAggregate
    ? [
        'an aggregate: Envoy divides requests among the priorities of all leaf clusters as in one list, by the panic threshold of the aggregate; the leaf cluster then chooses an endpoint by its own settings',
        ...notes,
      ]
    : notes;
}

function notesOfLeaf(priorities: readonly TrafficPriority[]): string[] {
  const [first] = priorities;
  if (first === undefined) return [];
  const { envoy } = first;
  const notes: string[] = [];
  if (envoy.notModelled !== '')
    notes.push(`the shares by Envoy's rules are without what is not modelled: ${envoy.notModelled}`);
  if (first.zone !== undefined) {
    const { reason } = splitZones(
      first.zone,
      first.localities.map(({ endpoints }) => endpoints.filter(({ health }) => isHealthy(health)).length),
    );
    notes.push(`zone aware routing: ${reason}`);
  } else if (!envoy.isLocalityWeighted && priorities.some(({ localities }) => localities.length > 1))
    notes.push('the cluster has no locality_weighted_lb_config: Envoy ignores the weights of localities');
  const hasWeights = priorities.some(({ localities }) => {
    const weights = localities.flatMap(({ endpoints }) => endpoints.map(({ weight }) => weight));
    return weights.some((weight) => weight !== weights[0]);
  });
  const approximate = whyApproximate(envoy.policy, hasWeights);
  if (approximate !== '') notes.push(approximate);
  const failing = priorities.flatMap(({ localities }) =>
    localities.flatMap(({ endpoints }) => endpoints.filter(({ failure }) => failure === 'requests')),
  );
  if (failing.length > 0)
    notes.push(
      `every request to ${formatCounted(failing.length, 'endpoint')} has failed, as Envoy counts them (${failing
        .slice(0, 3)
        .map(({ address }) => address)
        .join(', ')}): the shares are of requests that are sent to an endpoint`,
    );
  const { isHealthChecked, maxEjectionPercent } = envoy.detection;
  if (isHealthChecked && !first.hasHosts)
    notes.push(
      'the results of health_checks are not reported: each endpoint is taken as healthy unless EDS states otherwise',
    );
  if (!isHealthChecked && maxEjectionPercent !== null)
    notes.push(
      'outlier_detection ejects an endpoint after consecutive failures: until then, and for up to a second more, its requests fail',
    );
  return notes;
}
