import type { FieldReader } from './field-reader';
import { type FilterOverride, readOverrides } from './filter-config';
import { readPercent } from './fractional-percent';
import { namesLbMetadata } from './metadata-doubt';
import { readRouteMatch } from './route-match';
import { type LbMetadata, mergeCriteria } from './subset';

export interface WeightedCluster {
  /** Empty if a request header names the cluster. */
  readonly name: string;
  /** Unset counts as 0. An entry with weight 0 gets no requests (rule R15). */
  readonly weight: number;
  /** By which an Envoy chooses a subset of the hosts: its metadata_match over that of its owner. Absent: there is none. */
  readonly criteria?: LbMetadata;
}

export type RouteAction =
  | { readonly kind: 'cluster'; readonly cluster: string }
  | { readonly kind: 'weighted'; readonly clusters: readonly WeightedCluster[] }
  /** A request header names the cluster. gRPC ignores such a route (rule R13). */
  | { readonly kind: 'cluster-header'; readonly header: string }
  | { readonly kind: 'plugin'; readonly plugin: string }
  | { readonly kind: 'redirect'; readonly text: string }
  | { readonly kind: 'direct-response'; readonly status: number }
  /** A server accepts the request (gRFC A36). */
  | { readonly kind: 'non-forwarding' }
  /** Unset, or an action that this version does not support. */
  | { readonly kind: 'other'; readonly text: string };

interface MirrorPolicy {
  readonly cluster: string;
  /** Absent if it applies to every request. */
  readonly percent?: number | undefined;
}

export interface Route {
  readonly name: string;
  /** Formatted. */
  readonly match: string;
  /** The RouteMatch in proto3 JSON; absent if the route has none. */
  readonly matcher?: Readonly<Record<string, unknown>>;
  /** Each gRPC client but Node drops a route with query parameters (rule R6). */
  readonly hasQueryParameters: boolean;
  readonly action: RouteAction;
  readonly mirrors: readonly MirrorPolicy[];
  /** Absent: none. */
  readonly overrides?: readonly FilterOverride[];
  /** retry_on of its retry policy; absent: that of its virtual host. */
  readonly retryOn?: string;
  /** By which an Envoy chooses a subset of the hosts; weighted clusters have their own. Absent: there is none. */
  readonly criteria?: LbMetadata;
  /** The config of a filter for the route writes metadata by which a subset of hosts is chosen. */
  readonly setsLbMetadata?: true;
}

export function readRoute(route: FieldReader): Route {
  const forwarding = route.object('route');
  const match = route.object('match');
  return {
    name: route.string('name'),
    match: readRouteMatch(match),
    ...(match !== undefined && { matcher: match.json }),
    hasQueryParameters: (match?.objects('queryParameters') ?? []).length > 0,
    action: readAction(route, forwarding),
    mirrors: (forwarding?.objects('requestMirrorPolicies') ?? [])
      .map((policy) => ({
        cluster: policy.string('cluster'),
        percent: readPercent(policy.object('runtimeFraction')?.object('defaultValue')),
      }))
      .filter((mirror) => mirror.cluster !== ''),
    ...readOverrides(route),
    ...readRetries(forwarding),
    ...readCriteria(forwarding),
    ...readLbWrites(route, ...(forwarding?.object('weightedClusters')?.objects('clusters') ?? [])),
  };
}

/** `owner`: a route action or a virtual host. An empty retry_on retries nothing. */
export function readRetries(owner: FieldReader | undefined): { readonly retryOn?: string } {
  const retryOn = owner?.object('retryPolicy')?.string('retryOn');
  return retryOn ? { retryOn } : {};
}

/** `owner`: a route action or a TCP proxy. */
export function readWeightedClusters(owner: FieldReader): WeightedCluster[] {
  const clusters = owner.object('weightedClusters')?.objects('clusters') ?? [];
  return clusters.map((cluster) => ({
    name: cluster.string('name'),
    weight: cluster.number('weight') ?? 0,
    ...readCriteria(owner, cluster),
  }));
}

export function readCriteria(
  owner: FieldReader | undefined,
  weighted?: FieldReader,
): { readonly criteria?: LbMetadata } {
  const criteria = mergeCriteria(owner, weighted);
  return criteria === undefined ? {} : { criteria };
}

/** `owners`: what can have configs of filters. */
export function readLbWrites(...owners: readonly FieldReader[]): { readonly setsLbMetadata?: true } {
  return owners.some((owner) => namesLbMetadata(owner.object('typedPerFilterConfig')))
    ? { setsLbMetadata: true }
    : {};
}

function readAction(route: FieldReader, forwarding: FieldReader | undefined): RouteAction {
  if (forwarding !== undefined) return readForwarding(forwarding);
  if (route.has('nonForwardingAction')) return { kind: 'non-forwarding' };
  if (route.has('redirect')) return { kind: 'redirect', text: readRedirect(route.object('redirect')) };
  if (route.has('directResponse')) {
    return { kind: 'direct-response', status: route.object('directResponse')?.number('status') ?? 0 };
  }
  return { kind: 'other', text: route.has('filterAction') ? 'filter action' : 'no action' };
}

function readForwarding(forwarding: FieldReader): RouteAction {
  if (forwarding.has('cluster')) return { kind: 'cluster', cluster: forwarding.string('cluster') };
  if (forwarding.has('weightedClusters')) {
    return { kind: 'weighted', clusters: readWeightedClusters(forwarding) };
  }
  if (forwarding.has('clusterHeader')) {
    return { kind: 'cluster-header', header: forwarding.string('clusterHeader') };
  }
  if (forwarding.has('clusterSpecifierPlugin')) {
    return { kind: 'plugin', plugin: forwarding.string('clusterSpecifierPlugin') };
  }
  if (forwarding.has('inlineClusterSpecifierPlugin')) {
    const extension = forwarding.object('inlineClusterSpecifierPlugin')?.object('extension');
    return { kind: 'plugin', plugin: extension?.string('name') || 'inline' };
  }
  return { kind: 'other', text: 'no cluster' };
}

function readRedirect(redirect: FieldReader | undefined): string {
  if (redirect === undefined) return 'redirect';
  const scheme = redirect.boolean('httpsRedirect') ? 'https' : redirect.string('schemeRedirect');
  const host = redirect.string('hostRedirect');
  const path = redirect.string('pathRedirect') || redirect.string('prefixRewrite');
  const target = `${scheme === '' ? '' : `${scheme}://`}${host}${path}`;
  const code = redirect.enumName('responseCode', 'MOVED_PERMANENTLY').toLowerCase().replaceAll('_', ' ');
  return target === '' ? `redirect, ${code}` : `redirect to ${target}, ${code}`;
}
