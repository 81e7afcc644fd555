import type { ClusterModel } from '../model/cluster';
import { isOnSameStream } from '../model/config-source';
import type { LoadAssignment } from '../model/endpoints';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, EDS } from '../xds/resource-type';
import { describeEndpointUse, noEndpoints } from './endpoint-use';
import { flattenAggregate, type MemberState } from './flatten-aggregate';
import type { Rejection } from './rejection';
import type { ResourceStore, Standing } from './resource-store';
import type { ClusterChildren, ClusterEntry, Ignored, MissingResource, UsedResource } from './xds-config';

export interface ResolvedCluster {
  readonly entry: ClusterEntry;
  readonly edsName: string | null;
  /** Clusters that were visited for an aggregate, itself included; null for a leaf. */
  readonly visited: ReadonlySet<string> | null;
  /** Clusters that the client watches because of this one. */
  readonly members: readonly string[];
}

const nothing = { edsName: null, visited: null, members: [] };

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
  const { children, missing, ignored, rejected, edsName } = resolveLeaf(store, name, model, used, profile);
  const { lbPolicies, balancing } = model;
  const config = { ok: true, value: { resource: used, lbPolicies, balancing, children } } as const;
  return { ...nothing, entry: { name, config, missing, ignored, rejected: [...own, ...rejected] }, edsName };
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
  why: 'absent' | 'rejected' | 'members',
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

function resolveLeaf(
  store: ResourceStore,
  name: string,
  { discovery }: ClusterModel,
  resource: UsedResource,
  profile: Profile,
): Leaf {
  const leaf = { missing: [], ignored: [], rejected: [], edsName: null };
  switch (discovery.kind) {
    case 'eds':
      return resolveEds(store, name, normaliseResourceName(discovery.serviceName), profile);
    case 'static': {
      const { assignment } = discovery;
      const { use, ignored } = describeEndpointUse(assignment, resource, profile);
      const resolutionNote = noteOfEndpoints(`cluster "${name}"`, use.endpoints, use.usable);
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
      const resolutionNote = 'the client resolves the name: its addresses are not known';
      const assignment = discovery.kind === 'strict-dns' ? discovery.assignment : null;
      return { ...leaf, children: { kind: 'dns', assignment, hosts, resolutionNote } };
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
function resolveEds(store: ResourceStore, cluster: string, serviceName: string, profile: Profile): Leaf {
  const children = {
    kind: 'endpoints',
    serviceName,
    endpoints: null,
    use: noEndpoints,
  } as const;
  const base = { missing: [], ignored: [], rejected: [], edsName: serviceName };
  const standing = store.standingOf(EDS.typeUrl, serviceName, 'endpoints', `cluster "${cluster}"`);
  if (standing.kind === 'missing') {
    const { missing } = standing;
    return { ...base, children: { ...children, resolutionNote: missing.text }, missing: [missing] };
  }
  const rejected = standing.rejection === null ? [] : [standing.rejection];
  if (standing.kind === 'error') {
    const subject = standing.rejection === null ? '' : `EDS resource "${serviceName}": `;
    const resolutionNote = `${subject}${standing.reason}`;
    return { ...base, children: { ...children, resolutionNote }, rejected };
  }
  const { model, used } = standing;
  const { use, ignored } = describeEndpointUse(model, used, profile);
  const own = noteOfEndpoints(`EDS resource "${serviceName}"`, use.endpoints, use.usable);
  const resolutionNote = [own, used.note].filter((note) => note !== '').join('; ');
  return {
    ...base,
    children: { ...children, resource: used, endpoints: model, use, resolutionNote },
    ignored,
    rejected,
  };
}

function noteOfEndpoints(subject: string, endpoints: number, usable: number): string {
  if (endpoints === 0) return `${subject} has no endpoints`;
  return usable === 0 ? `${subject} has no usable endpoint` : '';
}

function dnsHostsOf({ priorities }: LoadAssignment): string[] {
  const endpoints = priorities.flatMap(({ localities }) => localities.flatMap((group) => group.endpoints));
  return endpoints.map(({ address }) => address);
}
