import { isFailing } from '../facts/failing-endpoints';
import type { ClusterModel } from '../model/cluster';
import { usualPanicThreshold } from '../model/cluster-balancing';
import { isOnSameStream } from '../model/config-source';
import type { LoadAssignment } from '../model/endpoints';
import { assignmentOfHosts, type HostHealthModel, withHostHealth } from '../model/host-health';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, EDS } from '../xds/resource-type';
import { describeEndpointUse, holdsEndpoints, noEndpoints } from './endpoint-use';
import { flattenAggregate, type MemberState } from './flatten-aggregate';
import type { Rejection } from './rejection';
import type { ResourceStore, Standing } from './resource-store';
import type {
  ClusterChildren,
  ClusterEntry,
  EndpointUse,
  Ignored,
  MissingResource,
  UsedResource,
} from './xds-config';

export interface ResolvedCluster {
  readonly entry: ClusterEntry;
  readonly edsName: string | null;
  /** Clusters that were visited for an aggregate, itself included; null for a leaf. */
  readonly visited: ReadonlySet<string> | null;
  /** Clusters that the client watches because of this one. */
  readonly members: readonly string[];
  /** Names of the secrets of its transport sockets. */
  readonly secrets: readonly string[];
}

const nothing = { edsName: null, visited: null, members: [], secrets: [] };

/**
 * gRFC A74: one entry of XdsConfig.clusters. `isService`: only filters, logs and tracers call it, so that it can be in
 * the bootstrap.
 */
export function resolveCluster(
  store: ResourceStore,
  name: string,
  profile: Profile,
  isService = false,
): ResolvedCluster {
  const standing = store.standingOf(CDS.typeUrl, name, 'cluster', 'the route configuration');
  if (standing.kind === 'missing') {
    if (isAbsentInEnvoy(standing.missing, profile) && !isService) {
      return failed(name, `${notInEnvoy}: requests to it are answered with 503`, 'absent', []);
    }
    const entry = { name, config: null, missing: [standing.missing], ignored: [], rejected: [] };
    return { ...nothing, entry };
  }
  const own = standing.rejection === null ? [] : [standing.rejection];
  if (standing.kind === 'error') {
    return failed(name, standing.reason, standing.rejection === null ? 'absent' : 'rejected', own);
  }
  const { model, used } = standing;
  const rejection = clientOf(profile) === 'envoy' ? '' : whyRejected(model);
  if (rejection !== '') return failed(name, rejection, 'rejected', own);
  if (model.discovery.kind === 'aggregate') return resolveAggregate(store, name, standing, profile);
  const { secrets } = model;
  const withoutSecret = clientOf(profile) === 'envoy' ? store.findSecretWithoutEffect(secrets) : undefined;
  if (withoutSecret !== undefined)
    return {
      ...failed(name, `no connection to it is opened: ${withoutSecret.text}`, 'secret', own),
      secrets,
    };
  const leaf = resolveLeaf({ store, name, profile }, model, used);
  const { missing, ignored, rejected, edsName } = leaf;
  const children = clientOf(profile) === 'envoy' ? noteSubsets(leaf.children, model) : leaf.children;
  const { lbPolicies, balancing } = model;
  const config = { ok: true, value: { resource: used, lbPolicies, balancing, children } } as const;
  const entry = { name, config, missing, ignored, rejected: [...own, ...rejected] };
  return { ...nothing, entry, edsName, secrets };
}

/** With subsets, usable endpoints do not show that a request finds one. */
function noteSubsets(children: ClusterChildren, { balancing }: ClusterModel): ClusterChildren {
  if (balancing.subsetFallback === null) return children;
  const text = `lb_subset_config: the metadata of a route or request selects the endpoints that it may use (fallback policy ${balancing.subsetFallback})`;
  return { ...children, resolutionNote: [children.resolutionNote, text].filter(Boolean).join('; ') };
}

const notInEnvoy =
  'Envoy, which subscribes to all clusters, has none of this name, unless its bootstrap has, which only its admin interface reports';

/** Envoy does not wait for a cluster that a route names. */
function isAbsentInEnvoy({ why }: MissingResource, profile: Profile): boolean {
  return clientOf(profile) === 'envoy' && why === 'never-asked';
}

function failed(
  name: string,
  error: string,
  why: 'absent' | 'rejected' | 'members' | 'secret',
  rejected: readonly Rejection[],
): ResolvedCluster {
  return {
    ...nothing,
    entry: { name, config: { ok: false, error, why }, missing: [], ignored: [], rejected },
  };
}

/** Rules C1 and C2: why a gRPC client would have rejected a cluster that Envoy accepts; empty if it would not. */
function whyRejected({ discovery }: ClusterModel): string {
  switch (discovery.kind) {
    case 'static':
    case 'strict-dns':
    case 'original-dst':
    case 'custom': {
      const type = discovery.kind === 'custom' ? discovery.name : discovery.kind;
      return `discovery type ${type}: gRPC supports only EDS, logical DNS and aggregates (rule C1)`;
    }
    case 'eds':
      return isOnSameStream(discovery.from)
        ? ''
        : `endpoints from ${discovery.from}: gRPC accepts them only from ADS (rule C2)`;
    default:
      return '';
  }
}

function resolveAggregate(
  store: ResourceStore,
  name: string,
  { model, used: resource, rejection }: Extract<Standing<'cluster'>, { kind: 'data' }>,
  profile: Profile,
): ResolvedCluster {
  const rejected = rejection === null ? [] : [rejection];
  const { leafClusters, waiting, skipped, cycles, error, visited } = flattenAggregate(
    name,
    (member) => memberState(store, member, profile),
    profile,
  );
  const named = model.discovery.kind === 'aggregate' ? model.discovery.clusters : [];
  const members = [...new Set(named.map(normaliseResourceName))];
  if (error !== '') return { ...failed(name, error, 'members', rejected), visited, members };
  const resolutionNote = [
    ...cycles.map((cycle) => `the cycle ${cycle} is cut`),
    ...skipped.map((each) => `${each.name} is skipped: ${each.reason}`),
  ].join('; ');
  const children = { kind: 'aggregate', leafClusters, waiting, skipped, cycles, resolutionNote } as const;
  const { lbPolicies, balancing } = model;
  const config = { ok: true, value: { resource, lbPolicies, balancing, children } } as const;
  return { ...nothing, entry: { name, config, missing: [], ignored: [], rejected }, visited, members };
}

function memberState(store: ResourceStore, name: string, profile: Profile): MemberState {
  const standing = store.standingOf(CDS.typeUrl, name, 'cluster', 'an aggregate cluster');
  if (standing.kind === 'missing')
    return isAbsentInEnvoy(standing.missing, profile)
      ? { kind: 'error', reason: notInEnvoy }
      : { kind: 'waiting' };
  if (standing.kind === 'error') return { kind: 'error', reason: standing.reason };
  const reason = clientOf(profile) === 'envoy' ? '' : whyRejected(standing.model);
  return reason === '' ? { kind: 'known', model: standing.model } : { kind: 'error', reason };
}

interface Leaf {
  readonly children: ClusterChildren;
  readonly missing: readonly MissingResource[];
  readonly ignored: readonly Ignored[];
  readonly rejected: readonly Rejection[];
  readonly edsName: string | null;
}

interface LeafContext {
  readonly store: ResourceStore;
  readonly name: string;
  readonly profile: Profile;
}

function resolveLeaf(context: LeafContext, model: ClusterModel, resource: UsedResource): Leaf {
  const { store, name } = context;
  const { discovery } = model;
  const leaf = { missing: [], ignored: [], rejected: [], edsName: null };
  switch (discovery.kind) {
    case 'eds':
      return resolveEds(context, normaliseResourceName(discovery.serviceName), model, resource);
    case 'static': {
      const { assignment, use, ignored } = endpointsInUse(context, discovery.assignment, resource, model);
      const resolutionNote = noteOfEndpoints(`cluster "${name}"`, assignment, use);
      const children = {
        kind: 'endpoints',
        serviceName: name,
        endpoints: assignment,
      } as const;
      return { ...leaf, children: { ...children, use, resolutionNote }, ignored };
    }
    case 'logical-dns':
    case 'strict-dns': {
      const hosts = dnsHostsOf(discovery.assignment);
      const assignment = discovery.kind === 'strict-dns' ? discovery.assignment : null;
      const dns = { kind: 'dns', assignment, hosts } as const;
      const reported = store.findHosts(name);
      if (reported === undefined) {
        const resolutionNote = 'the client resolves the name: its addresses are not known';
        return { ...leaf, children: { ...dns, resolved: null, use: noEndpoints, resolutionNote } };
      }
      const { endpoints: resolved, ...found } = hostsInUse(context, reported, resource, model);
      return { ...leaf, children: { ...dns, resolved, ...found } };
    }
    default: {
      const kind = discovery.kind === 'custom' ? discovery.name : 'original destination';
      const resolutionNote = 'the client creates endpoints on demand';
      return { ...leaf, children: { kind: 'other', name: kind, resolutionNote } };
    }
  }
}

/**
 * gRFC A74: a problem with endpoints is not an error of the cluster. It is a note that becomes part of the RPC's
 * error message.
 */
function resolveEds(
  context: LeafContext,
  serviceName: string,
  cluster: ClusterModel,
  resource: UsedResource,
): Leaf {
  const { store, name } = context;
  const children = {
    kind: 'endpoints',
    serviceName,
    endpoints: null,
    use: noEndpoints,
  } as const;
  const base = { missing: [], ignored: [], rejected: [], edsName: serviceName };
  const standing = store.standingOf(EDS.typeUrl, serviceName, 'endpoints', `cluster "${name}"`);
  if (standing.kind === 'missing') {
    const { missing } = standing;
    const hosts = store.findHosts(name);
    if (hosts !== undefined && hosts.hosts.size > 0)
      return { ...base, children: { ...children, ...hostsInUse(context, hosts, resource, cluster) } };
    return { ...base, children: { ...children, resolutionNote: missing.text }, missing: [missing] };
  }
  const rejected = standing.rejection === null ? [] : [standing.rejection];
  if (standing.kind === 'error') {
    const subject = standing.rejection === null ? '' : `EDS resource "${serviceName}": `;
    const resolutionNote = `${subject}${standing.reason}`;
    return { ...base, children: { ...children, resolutionNote }, rejected };
  }
  const { model, used } = standing;
  const { assignment: endpoints, use, ignored } = endpointsInUse(context, model, used, cluster);
  const own = noteOfEndpoints(`EDS resource "${serviceName}"`, endpoints, use);
  const resolutionNote = [own, used.note].filter((note) => note !== '').join('; ');
  return {
    ...base,
    children: { ...children, resource: used, endpoints, use, resolutionNote },
    ignored,
    rejected,
  };
}

/** The hosts that an Envoy reports of a cluster of which no other endpoints are known. */
function hostsInUse(
  context: LeafContext,
  hosts: HostHealthModel,
  resource: UsedResource,
  cluster: ClusterModel,
) {
  const { assignment: endpoints, use } = endpointsInUse(context, assignmentOfHosts(hosts), resource, cluster);
  return { endpoints, use, resolutionNote: noteOfEndpoints(`cluster "${context.name}"`, endpoints, use) };
}

/** The endpoints with the health that an Envoy reports of its hosts: it balances on these, and EDS is one of its inputs. */
function endpointsInUse(
  { store, name, profile }: LeafContext,
  stated: LoadAssignment,
  resource: UsedResource,
  { balancing }: ClusterModel,
): { readonly assignment: LoadAssignment } & ReturnType<typeof describeEndpointUse> {
  const hosts = store.findHosts(name);
  const seen = hosts === undefined ? stated : withHostHealth(stated, hosts.hosts);
  const assignment = markFailing(seen, (address) => isFailing(store.failing, name, address));
  const { use, ignored } = describeEndpointUse(assignment, resource, profile);
  if (use.usable > 0) return { assignment, use, ignored };
  if (holdsEndpoints(profile)) return { assignment, use: { ...use, mayUseEarlier: true }, ignored };
  const { panicThreshold, failsOnPanic } = balancing;
  const threshold = panicThreshold ?? usualPanicThreshold;
  const isPanic = clientOf(profile) === 'envoy' && use.endpoints > 0 && threshold > 0 && !failsOnPanic;
  return { assignment, use: isPanic ? { ...use, panicThreshold: threshold } : use, ignored };
}

function markFailing(assignment: LoadAssignment, fails: (address: string) => boolean): LoadAssignment {
  const isAny = assignment.priorities.some(({ localities }) =>
    localities.some((group) => group.endpoints.some(({ address }) => fails(address))),
  );
  if (!isAny) return assignment;
  return {
    ...assignment,
    priorities: assignment.priorities.map((priority) => ({
      ...priority,
      localities: priority.localities.map((group) => ({
        ...group,
        endpoints: group.endpoints.map((endpoint) =>
          fails(endpoint.address) ? { ...endpoint, failsToConnect: true as const } : endpoint,
        ),
      })),
    })),
  };
}

function noteOfEndpoints(
  subject: string,
  { priorities }: LoadAssignment,
  { endpoints, usable, failing = 0, panicThreshold }: EndpointUse,
): string {
  if (endpoints === 0) return `${subject} has no endpoints`;
  if (usable > 0 && failing === 0) return '';
  if (usable > 0) {
    const which = failing === usable ? 'any' : `${failing}`;
    return `the client cannot connect to ${which} of the ${usable} usable endpoints of ${subject}`;
  }
  const states = new Map<string, number>();
  for (const { localities } of priorities)
    for (const group of localities)
      for (const { seenAs, health } of group.endpoints)
        states.set(seenAs || health, (states.get(seenAs || health) ?? 0) + 1);
  const counted = [...states].map(([state, count]) => `${count} ${state}`).join(', ');
  if (panicThreshold === undefined) return `${subject} has no usable endpoint: ${counted}`;
  return `${subject} has no healthy endpoint (${counted}): Envoy sends requests to all of them, since fewer than ${panicThreshold}% are healthy`;
}

function dnsHostsOf({ priorities }: LoadAssignment): string[] {
  const endpoints = priorities.flatMap(({ localities }) => localities.flatMap((group) => group.endpoints));
  return endpoints.map(({ address }) => address);
}
