import { describeBreaker, describeFailingLoad, findBreaker } from '../facts/failing-endpoints';
import { maxRequestsOf, whyNothingAdmitted } from '../model/admission';
import type { ClusterModel } from '../model/cluster';
import { isOnSameStream } from '../model/config-source';
import type { LoadAssignment } from '../model/endpoints';
import { describeSubsets, findNotModelled } from '../model/envoy-policy';
import { assignmentOfHosts, type HostHealthModel, withHostHealth } from '../model/host-health';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, EDS } from '../xds/resource-type';
import { endpointsInUse, endpointsOf, type LeafContext, noteOfEndpoints } from './cluster-endpoints';
import { loadOf, noEndpoints } from './endpoint-use';
import { flattenAggregate, type MemberState } from './flatten-aggregate';
import type { Rejection } from './rejection';
import type { ResourceStore, Standing } from './resource-store';
import type {
  ClusterChildren,
  ClusterConfig,
  ClusterEntry,
  ClusterKind,
  Ignored,
  MissingResource,
  UsedResource,
} from './xds-config';
import { findZoneFailure, findZoneRouting } from './zone-routing';

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
 * gRFC A74: one entry of XdsConfig.clusters. `use`: by clusterKindOf().
 */
export function resolveCluster(
  store: ResourceStore,
  name: string,
  profile: Profile,
  use: ClusterKind = 'http',
): ResolvedCluster {
  const standing = store.standingOf(CDS.typeUrl, name, 'cluster', 'the route configuration');
  if (standing.kind === 'missing') {
    if (isAbsentInEnvoy(standing.missing, profile) && use !== 'service') {
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
  if (clientOf(profile) === 'envoy' && maxRequestsOf(model.balancing, 'envoy') === 0)
    return { ...failed(name, noRequestAllowed, 'limit', own), secrets };
  const leaf = resolveLeaf({ store, name, profile }, model, used);
  const { missing, ignored, rejected, edsName } = leaf;
  const { children } = leaf;
  const { lbPolicies, balancing } = model;
  const value = {
    ...{ resource: used, lbPolicies, balancing, children, ...admissionOf(model, children, profile) },
    ...choiceOf(store, name, model, { children, use, profile }),
  };
  const entry = {
    name,
    config: { ok: true, value },
    missing,
    ignored,
    rejected: [...own, ...rejected],
  } as const;
  return { ...nothing, entry, edsName, secrets };
}

const noRequestAllowed =
  'circuit_breakers: max_requests is 0, so that every HTTP request of the default priority is answered with 503';

const nameOfRequest =
  'auto_san_validation: the certificate of the host, which is not reported, must have the name that each request states';

/** What decides beside the endpoints, so that usable ones do not show that a request finds one. */
function choiceOf(
  store: ResourceStore,
  name: string,
  model: ClusterModel,
  of: { readonly children: ClusterChildren; readonly use: ClusterKind; readonly profile: Profile },
): Pick<
  ClusterConfig,
  'notModelled' | 'notModelledOfRequest' | 'breaker' | 'zone' | 'zoneFailure' | 'choiceOfEnvoy'
> {
  const { children, use, profile } = of;
  const found = findBreaker(store.failing.breakers, name, use === 'tcp');
  const breaker = found && `circuit_breakers: ${describeBreaker(found)}`;
  // The destination of a connection is no choice of a policy.
  const isChosen = children.kind === 'endpoints' || children.kind === 'dns';
  const assignment = children.kind === 'dns' ? children.resolved : isChosen ? children.endpoints : null;
  const zone = findZoneRouting(store, model, assignment, profile);
  const subsets = isChosen ? describeSubsets(model.balancing) : '';
  if (clientOf(profile) !== 'envoy') {
    const choiceOfEnvoy = [subsets, typeof zone === 'string' ? zone : ''].filter(Boolean).join('; ');
    return choiceOfEnvoy === '' ? {} : { choiceOfEnvoy };
  }
  const zoneFailure =
    typeof zone === 'object' && assignment !== null ? findZoneFailure(zone, assignment) : undefined;
  const ofRequest = [
    ...(isChosen ? findNotModelled(model.balancing) : []),
    ...(typeof zone === 'string' ? [zone] : []),
    ...(model.validatesNameOfRequest ? [nameOfRequest] : []),
  ];
  const all = [breaker ?? '', subsets, ...ofRequest].filter(Boolean);
  return {
    ...(all.length > 0 && { notModelled: all.join('; ') }),
    ...(ofRequest.length > 0 && { notModelledOfRequest: ofRequest.join('; ') }),
    ...(breaker !== undefined && { breaker }),
    ...(typeof zone === 'object' && { zone }),
    ...(zoneFailure !== undefined && { zoneFailure }),
  };
}

function admissionOf(
  { balancing }: ClusterModel,
  children: ClusterChildren,
  profile: Profile,
): Pick<ClusterConfig, 'whyNothingAdmitted'> {
  const endpoints = children.kind === 'endpoints' ? children.endpoints : null;
  const text = whyNothingAdmitted(balancing, endpoints, clientOf(profile));
  return text === '' ? {} : { whyNothingAdmitted: text };
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
  why: 'absent' | 'rejected' | 'members' | 'secret' | 'limit',
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

function resolveLeaf(context: LeafContext, model: ClusterModel, resource: UsedResource): Leaf {
  const { store, name } = context;
  const { discovery } = model;
  const leaf = { missing: [], ignored: [], rejected: [], edsName: null };
  switch (discovery.kind) {
    case 'eds':
      return resolveEds(context, normaliseResourceName(discovery.serviceName), model, resource);
    case 'static': {
      const stated = withHealthOfDump(context, discovery.assignment);
      const { assignment, use, ignored } = endpointsInUse(context, stated, resource, model);
      const resolutionNote = noteOfEndpoints(`cluster "${name}"`, assignment, use);
      const children = {
        kind: 'endpoints',
        serviceName: name,
        endpoints: assignment,
      } as const;
      return { ...leaf, children: { ...children, use, resolutionNote }, ignored, edsName: name };
    }
    case 'logical-dns':
    case 'strict-dns': {
      const hosts = dnsHostsOf(discovery.assignment);
      const assignment = discovery.kind === 'strict-dns' ? discovery.assignment : null;
      const dns = { kind: 'dns', assignment, hosts } as const;
      const reported = store.findHosts(name);
      const found =
        reported === undefined
          ? endpointsInDump(context, resource, model)
          : hostsInUse(context, reported, resource, model);
      if (found === undefined) {
        const load = store.failing.loads.get(name);
        const unknown = 'the client resolves the name: its addresses are not known';
        const resolutionNote = [...(load?.isWhole ? [describeFailingLoad(load)] : []), unknown].join('; ');
        const children = { ...dns, resolved: null, use: { ...noEndpoints, ...loadOf(load) }, resolutionNote };
        return { ...leaf, children, edsName: name };
      }
      const { endpoints: resolved, ...rest } = found;
      return { ...leaf, children: { ...dns, resolved, ...rest }, edsName: name };
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

/** With include_eds, the config dump of an Envoy has the addresses to which it resolved the names of a cluster. */
function endpointsInDump(context: LeafContext, resource: UsedResource, cluster: ClusterModel) {
  const listed = findInDump(context);
  if (listed === undefined) return undefined;
  const { assignment: endpoints, use } = endpointsInUse(context, listed, resource, cluster);
  return { endpoints, use, resolutionNote: noteOfEndpoints(`cluster "${context.name}"`, endpoints, use) };
}

/** The endpoints of a cluster without EDS with the health that Envoy's own checks give them, if its config dump has it. */
function withHealthOfDump(context: LeafContext, stated: LoadAssignment): LoadAssignment {
  const listed = findInDump(context);
  return listed === undefined ? stated : withHostHealth(stated, healthsOf(listed));
}

function healthsOf({ priorities }: LoadAssignment) {
  return new Map(endpointsOf(priorities).map(({ address, health }) => [address, { health, reason: '' }]));
}

/** The endpoints of a cluster without EDS, as the config dump of an Envoy lists them: their health is that of Envoy's hosts. */
function findInDump({ store, name, profile }: LeafContext): LoadAssignment | undefined {
  const row = store.find({ typeUrl: EDS.typeUrl, name })?.row;
  const isOfDump = row !== undefined && (row.stage !== undefined || row.isStatic);
  if (clientOf(profile) !== 'envoy' || !isOfDump) return undefined;
  const standing = store.standingOf(EDS.typeUrl, name, 'endpoints', `cluster "${name}"`);
  return standing.kind === 'data' ? withHostHealth(standing.model, healthsOf(standing.model)) : undefined;
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

function dnsHostsOf({ priorities }: LoadAssignment): string[] {
  return endpointsOf(priorities).map(({ address }) => address);
}
