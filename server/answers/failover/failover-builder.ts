import { describeUnmeasured } from '@/lib/facts/failing-endpoints';
import { formatIsoTime } from '@/lib/format/iso-time';
import { chooseFailoverCluster } from '@/lib/lb/choose-failover-cluster';
import { usualEnvoyBalancing } from '@/lib/lb/envoy/envoy-balancing';
import type { ChildNumbers } from '@/lib/lb/grpc/child-numbers';
import { grpcClientOf } from '@/lib/lb/grpc-profile';
import type { Change } from '@/lib/lb/simulator/change';
import { conditionOfHealth } from '@/lib/lb/simulator/endpoint-condition';
import { findStandings } from '@/lib/lb/simulator/find-standings';
import type { TrafficPriority } from '@/lib/lb/simulator/traffic-cluster';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { whyNoSharesOfCluster } from '@/lib/lb/simulator/why-no-shares';
import { buildLbTree } from '@/lib/lb/tree/build-lb-tree';
import { styleOf } from '@/lib/lb/tree/write-style';
import { findChosen } from '@/lib/resolve/choose-for-request';
import { describeDenied } from '@/lib/resolve/nothing-served';
import type { Resolver } from '@/lib/resolve/resolver';
import { describeSubsetRequests } from '@/lib/resolve/subset-requests';
import { type SubsetUse, statusOfCluster } from '@/lib/resolve/xds-config';
import { buildLbTreeNode, findLbNode } from '@/lib/views/failover/build-lb-tree-node';
import { buildSimulation, type SimulationContent } from '@/lib/views/failover/build-simulation';
import type { LbTree } from '@/lib/views/failover/lb-tree-schema';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import { clientOf, nameOf, newestOf, type Profile } from '@/lib/xds/profile';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { OpenedConfig, ResolverQuestion } from '../resolved/resolved-questions';

export interface ClusterQuestion {
  /** undefined selects the cluster with the most priorities. */
  readonly cluster: string | undefined;
}

export interface LbTreeQuestion extends ClusterQuestion {
  readonly node: string | undefined;
  readonly find: string;
  /** If absent, children are numbered as by a client that receives this config first. */
  readonly numbered?: NumberedChildren;
}

export interface PlayQuestion extends ClusterQuestion {
  /** The id of the requests to a cluster with subsets; absent: all requests. */
  readonly requests?: string | undefined;
  readonly changes: readonly Change[];
  readonly seconds: number;
  /** Localities and endpoints whose names contain this text are listed first. */
  readonly find: string;
  /** The addresses of the endpoints to which the client is connected. Absent: not reported. */
  readonly connected?: ReadonlySet<string>;
}

/** The numbers of the children of priority policies, which depend on all updates that a client received. */
export interface NumberedChildren {
  /** The key is the cluster. */
  readonly numbers: ReadonlyMap<string, ChildNumbers>;
  /** The time of the first update that is counted, or null if the log has none. */
  readonly since?: EpochMs | undefined;
}

export type LbTreeAnswer = Omit<LbTree, 'clientId' | 'at' | 'revision' | 'moment'>;
export type PlayAnswer = SimulationContent & Pick<FailoverSimulation, 'cluster' | 'requests'>;

const clustersListed = 200;

/**
 * Returns the LB policies of a cluster. `profile` is of gRPC. `applied` states why the client's own reports are not used
 * unchanged; it is empty if they are.
 */
export function answerLbTree(
  { resolver, start: { listener }, profile: resolvedBy }: OpenedConfig,
  profile: Profile,
  { cluster: requested, node: wanted, find, numbered }: LbTreeQuestion,
  applied: string,
): LbTreeAnswer {
  const cluster = requested ?? firstCluster(resolver);
  const names: string[] = [];
  let total = 0;
  for (const { entry } of resolver.clusters()) {
    if (!entry.name.includes(find)) continue;
    total += 1;
    if (names.length < clustersListed) names.push(entry.name);
  }
  const notes = [
    ...envoyNotes(resolvedBy, profile),
    ...notesOf(resolver, profile),
    ...(applied === '' ? [] : [applied]),
    ...unknownClusterNotes(resolver, cluster, names),
    ...numberedNotes(numbered),
  ];
  const base = { profile, listener, clusters: { total, items: names }, notes };
  if (cluster === undefined) return base;
  const findCluster = (name: string) => resolver.findCluster(name);
  const traffic = trafficOfCluster(cluster, profile, findCluster);
  const tree = buildLbTree(
    {
      profile,
      style: styleOf(grpcClientOf(profile)),
      findCluster,
      findNumbers: (name) => numbered?.numbers.get(name) ?? null,
      findStanding: typeof traffic === 'string' ? () => undefined : findStandings(traffic.cluster),
    },
    cluster,
  );
  const node = wanted === undefined ? tree : findLbNode(tree, wanted);
  return {
    ...base,
    cluster,
    tree: buildLbTreeNode(tree),
    node: node?.id,
    config: node?.config,
  };
}

/** `isEnvoy`: the client is an Envoy, so that its shares are the subject and gRPC's are a comparison. */
export function answerPlay(
  resolver: Resolver,
  profile: Profile,
  { cluster: requested, requests: ofRequests, changes, seconds, find, connected }: PlayQuestion,
  { isEnvoy, lacksConnections }: Pick<ResolverQuestion, 'isEnvoy' | 'lacksConnections'>,
): PlayAnswer {
  const cluster = requested ?? firstCluster(resolver);
  const failing = failureNotes(resolver);
  if (cluster === undefined) return emptyPlay(profile, failing[0] ?? whyNoClusters(resolver));
  const subsets = subsetsOf(resolver, cluster);
  const chosen = findChosen(resolver.findCluster(cluster), ofRequests);
  const requests = choicesOf(subsets, ofRequests);
  const traffic = trafficOfCluster(cluster, profile, (name) => resolver.findCluster(name), chosen);
  if (typeof traffic === 'string') {
    const notes = [...failing, ...unknownClusterNotes(resolver, cluster, clusterNames(resolver))];
    const entry = resolver.findCluster(cluster);
    const fails = !isEnvoy && entry !== undefined && statusOfCluster(entry) === 'error';
    const text = [`${traffic}${fails ? ': RPCs to it fail' : ''}`, ...notes].join('; ');
    return { ...emptyPlay(profile, text), ...(entry?.config?.ok === true && { cluster }) };
  }
  const rules = isEnvoy ? 'envoy' : 'grpc';
  const unknown = whyNoSharesOfCluster(rules, cluster, traffic.cluster, (name) => resolver.findCluster(name));
  if (unknown !== '') return { ...emptyPlay(profile, unknown), cluster, ...requests };
  const denied = describeDenied(resolver.listener.chains, profile);
  const notes = [
    ...failing,
    ...(resolver.status === 'unknown' ? resolver.listener.doubts.map((doubt) => `not known: ${doubt}`) : []),
    ...(denied === '' ? [] : [`before a cluster is chosen, ${denied}`]),
    ...(lacksConnections ? [describeUnmeasured(lacksConnections)] : []),
    ...traffic.notes,
    ...(isEnvoy ? [] : traffic.grpcNotes),
  ];
  const retriedOn = isEnvoy ? findRetries(resolver, cluster) : [];
  const envoyNotes = [...traffic.envoyNotes, ...retryNotes(retriedOn)];
  const priorities = traffic.cluster.priorities.map(({ hasHosts, ...each }) => ({
    ...each,
    ...(connected !== undefined && hasHosts && { hasHosts }),
    ...(connected !== undefined && isConnected(each, connected) && { isConnected: true as const }),
  }));
  const simulated = {
    ...{ ...traffic, notes, envoyNotes, retriedOn },
    cluster: { ...traffic.cluster, priorities },
  };
  return { cluster, ...requests, ...buildSimulation(simulated, changes, seconds, find) };
}

function subsetsOf(resolver: Resolver, cluster: string): readonly SubsetUse[] {
  const config = resolver.findCluster(cluster)?.config;
  return (config?.ok === true && config.value.subsets) || [];
}

/** Empty if all requests are of one kind, and no other was requested. */
function choicesOf(subsets: readonly SubsetUse[], chosen: string | undefined): Pick<PlayAnswer, 'requests'> {
  const items = subsets.map(({ requests, status, text: reason }) => ({
    ...{ id: requests.id, text: describeSubsetRequests(requests) },
    ...{ status, reason },
  }));
  const isOther = chosen !== undefined && items[0]?.id !== chosen;
  if (items.length === 0 || (items.length === 1 && !isOther)) return {};
  const isListed = items.some(({ id }) => id === chosen);
  return { requests: { items, ...(isListed && { chosen }) } };
}

/** True if the client reports that it is connected to the endpoints of the priority that gRPC connects to. */
function isConnected({ localities }: TrafficPriority, connected: ReadonlySet<string>): boolean {
  const usable = localities
    .flatMap(({ weight = 0, endpoints }) => (weight > 0 ? endpoints : []))
    .filter(({ health, failure }) => conditionOfHealth(health, failure === 'connection') === 'healthy');
  return usable.length > 0 && usable.every(({ address }) => connected.has(address));
}

export function emptyPlay(profile: Profile, note: string): PlayAnswer {
  const empty = {
    profile,
    unused: null,
    priorities: [],
    panicThreshold: usualEnvoyBalancing.panicThreshold,
  } as const;
  const content = buildSimulation({ cluster: empty, dropPercent: 0, notes: [note], envoyNotes: [] }, [], 0);
  return { ...content, moments: [] };
}

export function emptyLbTree(profile: Profile): LbTreeAnswer {
  const notes = ['the client has no listener to begin with'];
  const clusters = { total: 0, items: [] };
  return {
    profile,
    clusters,
    notes,
  };
}

/** The retry_on of the routes to a cluster that send failed requests again. */
function findRetries({ listener }: Resolver, cluster: string): string[] {
  const retrying = new Set<string>();
  for (const { hosts } of listener.chains)
    for (const { host } of hosts)
      for (const { action, retryOn = host.retryOn } of host.routes) {
        const names = action.kind === 'weighted' ? action.clusters.map(({ name }) => name) : [];
        const isOfCluster = action.kind === 'cluster' ? action.cluster === cluster : names.includes(cluster);
        if (isOfCluster && retryOn !== undefined) retrying.add(retryOn);
      }
  return [...retrying];
}

function retryNotes(retriedOn: readonly string[]): string[] {
  if (retriedOn.length === 0) return [];
  return [
    `routes send failed requests again (retry_on ${retriedOn.join('; ')}): the shares are of attempts, so that fewer requests fail`,
  ];
}

function clusterNames(resolver: Resolver): string[] {
  const names: string[] = [];
  for (const { entry } of resolver.clusters()) {
    names.push(entry.name);
    if (names.length > 10) break;
  }
  return names;
}

function firstCluster(resolver: Resolver): string | undefined {
  return chooseFailoverCluster([...resolver.clusters()].map(({ entry }) => entry));
}

/** A config that is not wholly known may have clusters that are not known either. */
function whyNoClusters(resolver: Resolver): string {
  switch (resolver.status) {
    case 'waiting':
      return `the clusters are not known: the client waits for ${nameMissing(resolver)}`;
    case 'unknown': {
      const { doubts } = resolver.listener;
      return `the clusters are not known: ${doubts.length > 0 ? doubts.join('; ') : nameMissing(resolver)}`;
    }
    default:
      return 'the config has no clusters';
  }
}

function failureNotes({ status, listener }: Resolver): string[] {
  return status === 'error' ? [`the whole config of the listener fails: ${listener.error}`] : [];
}

function notesOf(resolver: Resolver, profile: Profile): string[] {
  const notes = failureNotes(resolver);
  const newest = newestOf(clientOf(profile));
  if (profile !== newest)
    notes.push(
      `the LB policies were measured with ${nameOf(newest)}: earlier versions can have others between the cluster and its priorities; which of them is chosen is as in ${nameOf(profile)}`,
    );
  if (resolver.status === 'waiting')
    notes.push(`the config is withheld (gRFC A74): the client waits for ${nameMissing(resolver)}`);
  if (clientOf(profile) === 'java') {
    notes.push(
      'grpc-java passes objects from policy to policy; the JSON is written as other clients write it',
    );
  }
  return notes;
}

const missingNamed = 3;

/** Formats missing resources as in 'CDS "cart": never requested; and 2 more'. */
function nameMissing(resolver: Resolver): string {
  const reported: string[] = [];
  let count = 0;
  for (const { typeUrl, name, text } of resolver.missing()) {
    count += 1;
    if (reported.length < missingNamed) reported.push(`${formatResourceType(typeUrl)} "${name}": ${text}`);
  }
  if (count === 0) return 'other resources';
  return `${reported.join('; ')}${count > reported.length ? `; and ${count - reported.length} more` : ''}`;
}

function unknownClusterNotes(
  resolver: Resolver,
  cluster: string | undefined,
  listed: readonly string[],
): string[] {
  const isThere = cluster === undefined || resolver.findCluster(cluster) !== undefined;
  if (isThere || listed.length === 0) return [];
  const there = listed
    .slice(0, 10)
    .map((name) => JSON.stringify(name))
    .join(', ');
  const more = listed.length > 10 ? ' and others' : '';
  return [`expected a cluster of the config (${there}${more}), got ${JSON.stringify(cluster)}`];
}

function envoyNotes(resolvedBy: Profile, profile: Profile): string[] {
  if (clientOf(resolvedBy) !== 'envoy') return [];
  return [
    `this config is that of an Envoy, which builds no such tree: of a cluster it chooses a priority by how healthy each is, then a locality, then an endpoint by the cluster's lb_policy, as the shares above show; the tree is what ${nameOf(profile)} would build of the same config`,
  ];
}

function numberedNotes(numbered: NumberedChildren | undefined): string[] {
  if (numbered === undefined)
    return ['child names of priorities are those of a client that receives this config first'];
  if (numbered.since === undefined) return [];
  const since = formatIsoTime(numbered.since);
  return [
    `child names of priorities follow from all updates since ${since}; a client that restarted since then counts from 0`,
  ];
}
