import { type ClusterBalancing, usualPanicThreshold } from '../model/cluster-balancing';
import type { Endpoint, LoadAssignment } from '../model/endpoints';
import { envoyPolicyOf } from '../model/envoy-policy';
import type { LbMetadata, SubsetConfig } from '../model/subset';
import { chooseSubset } from './choose-subset';
import { countStates } from './cluster-endpoints';
import { assignmentOf } from './leaf-assignment';
import type { ClusterConfig, ClusterEntry } from './xds-config';

/** What is known of a request to an Envoy. */
export interface ChosenBy {
  /** metadata_match of its route and weighted cluster, with its dynamic metadata over it; undefined: there is none. */
  readonly criteria: LbMetadata | undefined;
  /** Why the criteria are not known; absent: they are. */
  readonly doubt?: string | undefined;
  /** The circuit breaker of the cluster is decided apart, so that it does not count here. */
  readonly isAdmitted?: true;
}

interface ChosenForRequest {
  /** With the endpoints of the subset alone; its priorities and localities stay. */
  readonly config: ClusterConfig;
  /** The subset that is used, and why; absent if the cluster has no subsets. */
  readonly subset?: string;
}

/** The requests of an id to a cluster with subsets; undefined: all requests. */
export function findChosen(entry: ClusterEntry | undefined, id: string | undefined): ChosenBy | undefined {
  const subsets = entry?.config?.ok === true ? entry.config.value.subsets : undefined;
  if (id === undefined || subsets === undefined) return undefined;
  const found = subsets.find(({ requests }) => requests.id === id)?.requests;
  return found ?? { criteria: undefined, doubt: `no route leads requests with the metadata ${id} to it` };
}

const noMetadata: LbMetadata = {};

/** Each subset is balanced as a cluster of its own, whose panic threshold is that of the cluster. */
export function chooseForRequest(
  config: ClusterConfig,
  { criteria, doubt, isAdmitted }: ChosenBy,
): ChosenForRequest {
  const { notModelled, notModelledOfRequest, subsets: _, ...rest } = config;
  const { children, balancing, breaker } = config;
  const open = (ofRequest = notModelledOfRequest): ClusterConfig => {
    const all = [isAdmitted ? undefined : breaker, ofRequest].filter((text) => text !== undefined);
    return {
      ...rest,
      ...(all.length > 0 && { notModelled: all.join('; ') }),
      ...(ofRequest !== undefined && { notModelledOfRequest: ofRequest }),
    };
  };
  const { subset } = envoyPolicyOf(balancing);
  if (children.kind === 'aggregate' || children.kind === 'other') return { config };
  const isUnresolved = children.kind === 'dns' && children.resolved === null;
  if (subset === null || isUnresolved) return { config: open() };
  const assignment = assignmentOf(config);
  const unknown = [
    ...(doubt === undefined ? [] : [`lb_subset_config: ${doubt}`]),
    ...(assignment.lacksMetadata ? ['lb_subset_config: the metadata of the endpoints is not reported'] : []),
    ...(notModelledOfRequest === undefined ? [] : [notModelledOfRequest]),
  ];
  if (unknown.length > 0) return { config: open(unknown.join('; ')) };
  const { assignment: chosen, reason } = keepChosen(subset, assignment, criteria, balancing);
  const own =
    children.kind === 'endpoints' ? { ...children, endpoints: chosen } : { ...children, resolved: chosen };
  const stated = reason.includes('the fallback policy is') ? '' : ` (fallback policy ${subset.fallback})`;
  return { config: { ...open(), children: own }, subset: `${reason}${stated}` };
}

/** The endpoints of a subset, as they count in it. */
type Kept = ReadonlyMap<Endpoint, Endpoint>;

/** The endpoints that an Envoy chooses by the metadata of a request, in their priorities and localities, and why. */
export function keepChosen(
  subset: SubsetConfig,
  assignment: LoadAssignment,
  criteria: LbMetadata | undefined,
  balancing: ClusterBalancing,
): { readonly assignment: LoadAssignment; readonly reason: string } {
  const all = assignment.priorities.flatMap(({ localities }) =>
    localities.flatMap(({ endpoints }) => endpoints),
  );
  const choice = chooseSubset(
    subset,
    criteria,
    all.map(({ metadata = noMetadata }) => metadata),
  );
  const { has, usesAnyInPanic, isSingleHost, reason } = choice;
  const chosen = all.filter(({ metadata = noMetadata }) => has?.(metadata) === true);
  const panicThreshold = Math.round(balancing.panicThreshold ?? usualPanicThreshold);
  const { failsOnPanic } = envoyPolicyOf(balancing).zone;
  const healthy = chosen.filter(({ health }) => usableHealths.includes(health)).length;
  const which =
    has === undefined
      ? reason
      : `${reason}: ${chosen.length} of ${all.length} hosts, ${healthy > 0 ? `${healthy} of them usable` : `none of them usable (${countStates(chosen)})`}`;
  const panics = panicThreshold > 0 && !failsOnPanic && chosen.length > 0;
  const isServed = panics || healthy > 0;
  if (usesAnyInPanic && !isServed) return { assignment, reason: `${which}; panic_mode_any uses any host` };
  const [first] = chosen;
  const kept: Kept =
    !isSingleHost || first === undefined
      ? new Map(chosen.map((each) => [each, each]))
      : // Measured with Envoy 1.40.0: its health does not count.
        new Map([[first, { ...first, health: 'HEALTHY' }]]);
  return { assignment: keepSubset(subset, assignment, kept), reason: which };
}

const usableHealths: readonly string[] = ['HEALTHY', 'UNKNOWN', 'DEGRADED'];

/** "scale_locality_weight: the weight of a locality is scaled by the ratio of hosts in the subset to hosts in the original". */
function keepSubset(
  { scalesLocalityWeight }: SubsetConfig,
  assignment: LoadAssignment,
  kept: Kept,
): LoadAssignment {
  const priorities = assignment.priorities.map((priority) => ({
    ...priority,
    localities: priority.localities.map((group) => {
      const endpoints = group.endpoints.flatMap((each) => kept.get(each) ?? []);
      const { weight } = group;
      if (!scalesLocalityWeight || weight === undefined || group.endpoints.length === 0)
        return { ...group, endpoints };
      return {
        ...group,
        endpoints,
        weight: Math.round((weight * endpoints.length) / group.endpoints.length),
      };
    }),
  }));
  return { ...assignment, priorities };
}
