import type { ClusterBalancing } from '../model/cluster-balancing';
import type { LoadAssignment } from '../model/endpoints';
import type { ZoneRouting } from '../model/zone-config';
import type { ResourceKey } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';
import type { Rejection } from './rejection';
import { describeSubsetRequests, type SubsetRequests } from './subset-requests';

export interface UsedResource extends ResourceKey {
  /** 'v2' if it was received in the v2 API; absent for v3. */
  readonly apiVersion?: 'v2' | undefined;
  readonly versionInfo: string;
  readonly hash?: string | undefined;
  /** An ambient error; empty if there is none. */
  readonly note: string;
  /**
   * The reason why it is not known whether the client runs it: the setting that decides, and the evidence. Absent: it
   * runs it.
   */
  readonly doubt?: string | undefined;
}

export const missingWhys = [
  'never-asked',
  'requested',
  'warming',
  'not-reported',
  'unreadable',
  'in-doubt',
] as const;
/**
 * `never-asked`: no row exists. `requested`: requested, and the resource timer (15 s) runs. `warming`: an
 * Envoy has it, and waits for what it depends on. `not-reported` and `unreadable`: the client can have the resource, but its contents  are unknown to xdscope.
 * `in-doubt`: it is not known whether the client waits for it, or which payload it runs.
 */
export type MissingWhy = (typeof missingWhys)[number];

export interface MissingResource extends ResourceKey {
  readonly why: MissingWhy;
  readonly text: string;
  /** As in 'listener "shop"'. */
  readonly neededBy: string;
  /** Last change of the row; absent if there is no row. */
  readonly since?: EpochMs | undefined;
  /** All resources of its type are reported, and it is none of them. */
  readonly isAbsent?: true;
}

export const ignoredParts = [
  'listener',
  'http-filter',
  'virtual-host',
  'route',
  'action',
  'cluster',
  'mirror',
  'locality',
  'endpoint',
] as const;
type IgnoredPart = (typeof ignoredParts)[number];

export interface Ignored {
  readonly part: IgnoredPart;
  /** The resource that contains the part. */
  readonly resource: ResourceKey;
  /** Path in the JSON of the resource, such as "virtualHosts[0].routes[2]"; '' for the whole. */
  readonly path: string;
  readonly reason: string;
  /** Rule of section 2.2 or gRFC, such as "R6"; empty if there is none. */
  readonly rule: string;
}

/** gRFC A74: absl::StatusOr. */
type StatusOr<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: string;
      /**
       * `absent`: the resource does not exist. `rejected`: the profile's clients reject such a cluster. `members`:
       * its members fail. `secret`: a secret of its connections has no payload in effect. `limit`: its circuit breaker
       * allows no request.
       */
      readonly why: 'absent' | 'rejected' | 'members' | 'secret' | 'limit';
    };

export type ClusterChildren =
  | {
      readonly kind: 'endpoints';
      readonly serviceName: string;
      /** Absent for endpoints that are inline in the cluster. */
      readonly resource?: UsedResource | undefined;
      /** null until the EDS resource is received. */
      readonly endpoints: LoadAssignment | null;
      readonly use: EndpointUse;
      /** The reason why there are no endpoints, or what is wrong with them; empty if nothing is. */
      readonly resolutionNote: string;
    }
  | {
      readonly kind: 'dns';
      /** The priorities, localities and weights of STRICT_DNS; null for LOGICAL_DNS, which has one name. */
      readonly assignment: LoadAssignment | null;
      /** "host:port", as the client passes it to its DNS resolver. */
      readonly hosts: readonly string[];
      /** The addresses that the client reports; null if it reports none. */
      readonly resolved: LoadAssignment | null;
      readonly use: EndpointUse;
      readonly resolutionNote: string;
    }
  | {
      readonly kind: 'aggregate';
      /** gRFC A37: depth first; a repeated leaf keeps its first place. */
      readonly leafClusters: readonly string[];
      /** Members without data. Their leaves are added later. */
      readonly waiting: readonly string[];
      readonly skipped: readonly { readonly name: string; readonly reason: string }[];
      /** Paths that form a cycle, such as "a > b > a". */
      readonly cycles: readonly string[];
      /** `error`: requests to each of its leaves fail. `unknown`: those to the first one that does not are not known. */
      readonly leaves?: 'error' | 'unknown';
      readonly resolutionNote: string;
    }
  /** Envoy: the original destination of the connection, or an extension. */
  | { readonly kind: 'other'; readonly name: string; readonly resolutionNote: string };

export interface ClusterConfig {
  readonly resource: UsedResource;
  readonly lbPolicies: readonly string[];
  readonly balancing: ClusterBalancing;
  readonly children: ClusterChildren;
  /** The reason why the client ends every RPC to the cluster itself. Absent: it does not. */
  readonly whyNothingAdmitted?: string;
  /** What decides whether a request is served and is not modelled, as a phrase. Absent: nothing. */
  readonly notModelled?: string;
  /** The part of `notModelled` that is not modelled for a single request either. Absent: nothing. */
  readonly notModelledOfRequest?: string;
  /** The circuit breaker that rejects requests, as a phrase. Absent: none. */
  readonly breaker?: string;
  /** Beside a gRPC client, what would decide in an Envoy with this cluster, as a phrase. Absent: nothing. */
  readonly choiceOfEnvoy?: string;
  /** How the zone of the client decides among the endpoints of the first priority. Absent: it does not. */
  readonly zone?: ZoneRouting;
  /** Set if `zone` sends every request to endpoints that fail: the reason, as a phrase. */
  readonly zoneFailure?: string | undefined;
  /** What an Envoy that chooses a subset of the hosts does with the requests to the cluster; absent: it chooses none. */
  readonly subsets?: readonly SubsetUse[];
}

export interface SubsetUse {
  readonly requests: SubsetRequests;
  /** `ok`: they find a host. `error`: they fail. */
  readonly status: Exclude<ResolvedClusterStatus, 'waiting'>;
  /** The subset that is used, and why, as the part of a sentence. */
  readonly text: string;
}

export interface ClusterEntry {
  readonly name: string;
  /** null if the cluster has no data; `missing` then states what is missing. */
  readonly config: StatusOr<ClusterConfig> | null;
  readonly missing: readonly MissingResource[];
  readonly ignored: readonly Ignored[];
  /**
   * The cluster's body or its endpoints, if another client accepted them and the profile's client would reject them.
   */
  readonly rejected: readonly Rejection[];
}

/**
 * `error`: RPCs to the cluster fail; other clusters are not affected. `unknown`: it is not known whether the client runs the
 * cluster and its endpoints, or a setting that is not modelled decides whether a request is served.
 */
export const resolvedClusterStatuses = ['ok', 'error', 'waiting', 'unknown'] as const;
export type ResolvedClusterStatus = (typeof resolvedClusterStatuses)[number];

export function statusOfCluster({ config, missing }: ClusterEntry): ResolvedClusterStatus {
  if (config?.ok === false) return 'error';
  if (missing.some(isWaiting)) return 'waiting';
  if (config === null || missing.length > 0) return 'unknown';
  if (doubtOfCluster(config.value) !== undefined) return 'unknown';
  const { children, whyNothingAdmitted, zoneFailure, notModelled, subsets } = config.value;
  if (whyNothingAdmitted !== undefined) return 'error';
  if (isEachFailing(subsets)) return 'error';
  const otherwise = notModelled === undefined ? 'ok' : 'unknown';
  if (subsets?.some(({ status }) => status === 'ok')) return otherwise;
  if (zoneFailure !== undefined) return 'error';
  if (children.kind === 'aggregate') return children.leaves ?? 'ok';
  if (children.kind === 'other') return otherwise;
  if (children.use.failingLoad === 'all') return 'error';
  if (children.use.mayUseEarlier) return 'unknown';
  return hasNoEndpoint(children) ? 'error' : otherwise;
}

function isEachFailing(subsets: readonly SubsetUse[] = []): boolean {
  return subsets.length > 0 && subsets.every(({ status }) => status === 'error');
}

/**
 * gRFC A74: this is not an error of the cluster's config. Each RPC to the cluster fails all the same, as it does if every
 * endpoint fails.
 */
function hasNoEndpoint(children: Extract<ClusterChildren, { kind: 'endpoints' | 'dns' }>): boolean {
  return !(children.kind === 'dns' && children.resolved === null) && isNoneUsed(children.use);
}

/** Returns true if a request finds no endpoint that works. */
export function isNoneUsed({ endpoints, usable, panicThreshold, failing = 0 }: EndpointUse): boolean {
  return failing === (panicThreshold === undefined ? usable : endpoints);
}

/** Returns why each call to the cluster fails, as of a filter to its external service; empty if one can succeed, or if it is not known. */
export function whyCallsFail(entry: ClusterEntry): string {
  return entry.missing.some(({ isAbsent }) => isAbsent)
    ? `cluster "${entry.name}" does not exist`
    : errorOfCluster(entry);
}

/** Returns why requests to the cluster fail; empty if they do not. */
export function errorOfCluster(entry: ClusterEntry): string {
  const { config } = entry;
  if (config === null || statusOfCluster(entry) !== 'error') return '';
  if (!config.ok) return config.error;
  const { children, whyNothingAdmitted, zoneFailure, subsets = [] } = config.value;
  if (whyNothingAdmitted !== undefined) return whyNothingAdmitted;
  if (isEachFailing(subsets)) return describeSubsetFailure(subsets);
  if (zoneFailure !== undefined) return zoneFailure;
  const isAggregate = children.kind === 'aggregate';
  return isAggregate ? allFail(children.leafClusters, children.resolutionNote) : children.resolutionNote;
}

function describeSubsetFailure(subsets: readonly SubsetUse[]): string {
  const [only] = subsets;
  if (only !== undefined && subsets.length === 1) return `lb_subset_config: ${only.text}`;
  const texts = subsets
    .slice(0, 3)
    .map(({ requests, text }) => `${describeSubsetRequests(requests)}: ${text}`)
    .join('; ');
  return `lb_subset_config: ${texts}${subsets.length > 3 ? '; and others' : ''}`;
}

function allFail(leaves: readonly string[], note: string): string {
  const text = `requests to each of its clusters fail (${leaves.slice(0, 3).join(', ')}${leaves.length > 3 ? ' and others' : ''})`;
  return note === '' ? text : `${text}; ${note}`;
}

export function isWaiting({ why }: MissingResource): boolean {
  return why !== 'in-doubt';
}

/** The reason why it is not known whether the client runs the cluster and its endpoints; undefined: it runs them. */
export function doubtOfCluster({ resource, children }: ClusterConfig): string | undefined {
  return resource.doubt ?? (children.kind === 'endpoints' ? children.resource?.doubt : undefined);
}

export const clusterUseHows = [
  'route',
  'weighted',
  'plugin',
  'mirror',
  'tcp',
  'aggregate',
  'service',
] as const;
type ClusterUseHow = (typeof clusterUseHows)[number];

export interface ClusterUse {
  readonly how: ClusterUseHow;
  /** Formatted: the route, or the aggregate. */
  readonly by: string;
}

/**
 * `service`: only filters, logs and tracers call the cluster, so that it can be in the bootstrap. `tcp`: a TCP proxy forwards
 * connections to it.
 */
export type ClusterKind = 'service' | 'tcp' | 'http';

export function clusterKindOf(uses: readonly Pick<ClusterUse, 'how'>[]): ClusterKind {
  if (uses.some(({ how }) => how === 'tcp')) return 'tcp';
  return uses.length > 0 && uses.every(({ how }) => how === 'service') ? 'service' : 'http';
}

/** The numbers of endpoints that are used, before any connection is made. */
export interface EndpointUse {
  readonly priorities: number;
  readonly localities: number;
  readonly endpoints: number;
  /** Endpoints that a client would connect to: in used localities, with a health that is usable or not reported. */
  readonly usable: number;
  /**
   * The endpoints to which the client cannot connect, or to which every request has failed, those of a locality included to
   * which every request has failed: of the usable ones or, with a panic threshold, of all. Absent: none.
   */
  readonly failing?: number | undefined;
  /** Set if load reports show that each of its requests fails: of the cluster, or of some localities or endpoints. */
  readonly failingLoad?: 'all' | 'some' | undefined;
  /**
   * Set if too few endpoints of a priority are healthy, and Envoy sends its requests to all of them: the panic threshold in per
   * cent.
   */
  readonly panicThreshold?: number | undefined;
  /** Set if an Envoy reports the hosts on which it balances, with their health. */
  readonly hasHosts?: true | undefined;
  /** Set if none is usable and the client continues to use those that it had before, if there were any. */
  readonly mayUseEarlier?: true | undefined;
}
