import type { ClusterBalancing } from '../model/cluster-balancing';
import type { LoadAssignment } from '../model/endpoints';
import type { ResourceKey } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import type { Rejection } from './rejection';

/** A resource whose config is in use. */
export interface UsedResource extends ResourceKey {
  /** It came in the v2 API; not there: v3. */
  readonly apiVersion?: 'v2' | undefined;
  readonly versionInfo: string;
  readonly hash: string | null;
  /** An ambient error; empty when there is none. */
  readonly note: string;
}

export const missingWhys = ['never-asked', 'requested', 'not-reported', 'unreadable'] as const;
/**
 * never-asked: there is no row; requested: asked for, the resource timer (15 s) runs; not-reported and unreadable: the
 * client may well have it, and xdscope cannot see what it is.
 */
export type MissingWhy = (typeof missingWhys)[number];

/** What publication waits for. */
export interface MissingResource extends ResourceKey {
  readonly why: MissingWhy;
  readonly text: string;
  /** As in 'listener "shop"'. */
  readonly neededBy: string;
  /** The row's last change; null when there is no row. */
  readonly since: EpochMs | null;
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
export type IgnoredPart = (typeof ignoredParts)[number];

/** A part of a resource that is there and has no effect. */
export interface Ignored {
  readonly part: IgnoredPart;
  /** The resource that it is in. */
  readonly resource: ResourceKey;
  /** As in the resource's JSON: "virtualHosts[0].routes[2]"; '' for the whole. */
  readonly path: string;
  readonly reason: string;
  /** Rule of section 2.2 or gRFC, as in "R6"; empty when there is none. */
  readonly rule: string;
}

/** gRFC A74: absl::StatusOr. */
export type StatusOr<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: string;
      /** absent: the resource is not there; rejected: the profile's clients take no such cluster; else its members fail. */
      readonly why: 'absent' | 'rejected' | 'members';
    };

export type ClusterChildren =
  | {
      readonly kind: 'endpoints';
      readonly serviceName: string;
      /** null for endpoints that are inline in the cluster. */
      readonly resource: UsedResource | null;
      /** null until the EDS resource came. */
      readonly endpoints: LoadAssignment | null;
      readonly use: EndpointUse;
      /** Why there are none, or what is wrong with them; empty when nothing is. */
      readonly resolutionNote: string;
    }
  | {
      readonly kind: 'dns';
      /** "host:port", as the client hands it to its DNS resolver. */
      readonly hosts: readonly string[];
      readonly resolutionNote: string;
    }
  | {
      readonly kind: 'aggregate';
      /** gRFC A37: depth first, a leaf that comes again keeps its earliest place. */
      readonly leafClusters: readonly string[];
      /** Members of which nothing was heard yet: what they are comes among the leaves later. */
      readonly waiting: readonly string[];
      readonly skipped: readonly { readonly name: string; readonly reason: string }[];
      /** Paths that lead back to themselves, as in "a > b > a". */
      readonly cycles: readonly string[];
      readonly resolutionNote: string;
    }
  /** Envoy: the connection's own destination, or an extension decides. */
  | { readonly kind: 'other'; readonly name: string; readonly resolutionNote: string };

export interface ClusterConfig {
  readonly resource: UsedResource;
  readonly lbPolicies: readonly string[];
  readonly balancing: ClusterBalancing;
  readonly children: ClusterChildren;
}

/** One entry of XdsConfig.clusters. */
export interface ClusterEntry {
  readonly name: string;
  /** null: nothing was heard of the cluster yet; `missing` says so. */
  readonly config: StatusOr<ClusterConfig> | null;
  readonly missing: readonly MissingResource[];
  readonly ignored: readonly Ignored[];
  /** Its own body, or its endpoints', that somebody else accepted and the profile's client would not. */
  readonly rejected: readonly Rejection[];
}

/** error: RPCs to it fail, the other clusters work. */
export const resolvedClusterStatuses = ['ok', 'error', 'waiting'] as const;
export type ResolvedClusterStatus = (typeof resolvedClusterStatuses)[number];

export function statusOfCluster({ config, missing }: ClusterEntry): ResolvedClusterStatus {
  if (config?.ok === false) return 'error';
  return config === null || missing.length > 0 ? 'waiting' : 'ok';
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
export type ClusterUseHow = (typeof clusterUseHows)[number];

/** Who makes the client watch a cluster. */
export interface ClusterUse {
  readonly how: ClusterUseHow;
  /** In words: the route, or the aggregate. */
  readonly by: string;
}

/** How much of the endpoints takes part, before any connection is made. */
export interface EndpointUse {
  readonly priorities: number;
  readonly localities: number;
  readonly endpoints: number;
  /** Endpoints that a client would connect to: of used localities, and healthy or of health that no source reported. */
  readonly usable: number;
}
