import { formatRequest } from '../../explain/format-request';
import type { Reach } from '../../explain/reach/find-reach';
import { reachOfHost } from '../../explain/reach/reach-of-host';
import { describeFailingLoad } from '../../facts/failing-endpoints';
import { formatLocality } from '../../format/locality';
import type { Endpoint, LoadAssignment } from '../../model/endpoints';
import type { LbMetadata } from '../../model/subset';
import { weighsLocalities, whySkipped, whyUnused } from '../../resolve/endpoint-use';
import type { Rejection } from '../../resolve/rejection';
import type { ChainConfig, HostConfig, ListenerConfig } from '../../resolve/resolve-listener';
import type { Resolver } from '../../resolve/resolver';
import { failuresIn, withServices } from '../../resolve/service-failure';
import { describeSubsetRequests } from '../../resolve/subset-requests';
import type {
  ClusterConfig,
  ClusterEntry,
  ClusterUse,
  Ignored,
  MissingResource,
  ResolvedClusterStatus,
} from '../../resolve/xds-config';
import { errorOfCluster, statusOfCluster } from '../../resolve/xds-config';
import { clientOf, type Profile } from '../../xds/profile';
import { formatResourceType } from '../../xds/resource-type';
import type { TablePages } from '../fields/table-pages';
import { firstPages, pageOf } from '../fields/table-pages';
import { formatRouteAction } from '../graph/route-action';
import { clustersOf, explainEnvoy, explainOverrides, whyRequestsFail } from './explain-route';
import type {
  IgnoredItem,
  MissingItem,
  RejectedResource,
  Resolved,
  ResolvedChain,
  ResolvedCluster,
  ResolvedHost,
  ResolvedLocality,
  ResolvedRoute,
} from './schema';

export interface ResolvedPage {
  readonly offset: number;
  readonly limit: number;
  /** A part of cluster names; empty for all clusters. */
  readonly find: string;
  /** The name of a single cluster. */
  readonly cluster?: string;
  /** failing: error, or some of the requests to it find no host. */
  readonly status?: ResolvedClusterStatus | 'failing';
  readonly endpoints: number;
  /** The first listed virtual host of each chain, and the first listed route of each virtual host. */
  readonly hostsFrom?: TablePages;
  readonly routesFrom?: TablePages;
}

const maxMissing = 200;
const maxRejected = 200;
const maxIgnored = 500;
const maxHosts = 100;
const maxUses = 20;

type ResolvedContent = Pick<
  Resolved,
  | 'status'
  | 'error'
  | 'missing'
  | 'missingTotal'
  | 'notes'
  | 'doubts'
  | 'listener'
  | 'rejected'
  | 'rejectedTotal'
  | 'chains'
  | 'dynamic'
  | 'clusters'
  | 'ignored'
  | 'ignoredTotal'
>;

/** Builds the resolver's state for the API. Long lists are cut or paged; totals count all entries. */
export function buildResolved(resolver: Resolver, profile: Profile, page: ResolvedPage): ResolvedContent {
  const { listener: config, status, tally } = resolver;
  const missing = [...resolver.missing()];
  const { kind, authority } = config;
  const context = {
    ...{ kind, authority, profile, whyFails: failuresIn(resolver, profile) },
    whyRequestsFail: (cluster: string, criteria?: LbMetadata) =>
      whyRequestsFail(resolver.findCluster(cluster), criteria),
  };
  return {
    status,
    error: config.error,
    missing: missing.slice(0, maxMissing).map(buildMissing),
    missingTotal: missing.length,
    notes: [...config.notes],
    doubts: [...config.doubts],
    listener: config.listener,
    rejected: config.rejected.slice(0, maxRejected).map(buildRejected),
    rejectedTotal: config.rejected.length + tally.rejected,
    chains: config.chains.map((chain, place) => buildChain(chain, place, context, page)),
    dynamic: config.dynamic.map((each) => ({ ...each })),
    clusters: buildClusters(resolver, profile, page),
    ignored: findIgnored(resolver).map(buildIgnored),
    ignoredTotal: config.ignored.length + tally.ignored,
  };
}

/** Visits the clusters of the page only, unless there is a search. */
function buildClusters(resolver: Resolver, profile: Profile, page: ResolvedPage): Resolved['clusters'] {
  const { offset, limit, find, cluster, status, endpoints } = page;
  const { ok, error, waiting, unknown } = resolver.tally;
  const isSearch = find !== '' || cluster !== undefined || status !== undefined;
  const items: ResolvedCluster[] = [];
  let total = 0;
  for (const { entry, uses } of resolver.clusters()) {
    if (!isSearch && total >= offset + limit) break;
    if (!matchesPage(entry, page)) continue;
    if (total >= offset && items.length < limit) items.push(buildCluster(entry, uses, profile, endpoints));
    total += 1;
  }
  const byStatus = { ok, error, waiting, unknown };
  return { total: isSearch ? total : resolver.clusterCount, byStatus, offset, items };
}

/** Returns the first ignored parts, in the order of the config. */
function findIgnored(resolver: Resolver): Ignored[] {
  const ignored = resolver.listener.ignored.slice(0, maxIgnored);
  let left = resolver.tally.ignored;
  for (const { entry } of resolver.clusters()) {
    if (left === 0 || ignored.length >= maxIgnored) break;
    ignored.push(...entry.ignored.slice(0, maxIgnored - ignored.length));
    left -= entry.ignored.length;
  }
  return ignored;
}

function failsInPart({ config }: ClusterEntry): boolean {
  return config?.ok === true && config.value.subsets?.some(({ status }) => status === 'error') === true;
}

function matchesPage(entry: ClusterEntry, { find, cluster, status }: ResolvedPage): boolean {
  if (cluster !== undefined && entry.name !== cluster) return false;
  if (!entry.name.includes(find)) return false;
  const own = statusOfCluster(entry);
  return (
    status === undefined ||
    own === status ||
    (status === 'failing' && (own === 'error' || failsInPart(entry)))
  );
}

interface RouteContext extends Pick<ListenerConfig, 'kind' | 'authority'> {
  readonly profile: Profile;
  readonly whyRequestsFail?: (cluster: string, criteria?: LbMetadata) => string;
}

interface ChainContext extends RouteContext {
  /** Returns why each request to a cluster fails; empty if one can succeed. */
  readonly whyFails: (cluster: string) => string;
}

/** The virtual hosts of the chain at `place` that the page lists. */
export function hostsOfPage(
  { hosts }: ChainConfig,
  place: number,
  { hostsFrom = firstPages }: Pick<ResolvedPage, 'hostsFrom'>,
): readonly HostConfig[] {
  const first = pageOf(hostsFrom, String(place));
  return hosts.slice(first, first + maxHosts);
}

function buildChain(
  chain: ChainConfig,
  place: number,
  config: ChainContext,
  { hostsFrom = firstPages, routesFrom = firstPages }: ResolvedPage,
): ResolvedChain {
  const firstHost = pageOf(hostsFrom, String(place));
  const { httpFilters, failure } = withServices(chain, config.whyFails);
  return {
    name: chain.name,
    match: chain.match,
    routeConfigs: chain.routeConfigs.map(({ source, name, resource, hosts, scope, error, notes }) => ({
      source,
      name,
      resource,
      virtualHosts: hosts.length,
      scope,
      error,
      notes: [...notes],
    })),
    virtualHosts: hostsOfPage(chain, place, { hostsFrom }).map((host, nth) =>
      buildResolvedHost(host, chain, config, pageOf(routesFrom, `${place}.${firstHost + nth}`)),
    ),
    virtualHostsTotal: chain.hosts.length,
    httpFilters: httpFilters.map(({ name, typeName, ignoredBecause: reason, denied, answers }) => ({
      name,
      typeName,
      use: reason === '' ? 'used' : 'ignored',
      reason,
      denied: reason === '' ? denied : '',
      ...(answers !== undefined && { answers }),
    })),
    conditions: chain.conditions.map(({ kind, text }) => ({ kind, text })),
    networkFilters: chain.otherFilters.map(({ name, denied }) => ({ name, denied })),
    tcpClusters: chain.tcpClusters.map(({ name, weight }) => ({ name, weight })),
    failure,
    secrets: [...chain.secrets],
  };
}

function buildCluster(
  entry: ClusterEntry,
  uses: readonly ClusterUse[],
  profile: Profile,
  maxEndpoints: number,
): ResolvedCluster {
  const config = entry.config?.ok === true ? entry.config.value : undefined;
  const children = config?.children;
  const eds = children?.kind === 'endpoints' ? children : undefined;
  const own = children?.kind === 'dns' ? children : eds;
  const endpoints = children?.kind === 'dns' ? children.resolved : (eds?.endpoints ?? null);
  const aggregate = children?.kind === 'aggregate' ? children : undefined;
  return {
    name: entry.name,
    status: statusOfCluster(entry),
    error: errorOfCluster(entry),
    resource: config?.resource,
    usedBy: uses.slice(0, maxUses).map((use) => ({ ...use })),
    usedByTotal: uses.length,
    kind: children?.kind ?? 'unknown',
    lbPolicies: [...(config?.lbPolicies ?? [])],
    resolutionNote: children?.resolutionNote ?? '',
    ...(config?.notModelled !== undefined && { notModelled: config.notModelled }),
    ...(config?.subsets !== undefined && {
      subsets: config.subsets.map(({ requests, ...each }) => ({
        requests: describeSubsetRequests(requests),
        ...each,
      })),
    }),
    serviceName: eds?.serviceName ?? '',
    endpointsResource: eds?.resource,
    use: own?.use ?? { priorities: 0, localities: 0, endpoints: 0, usable: 0 },
    priorities:
      endpoints === null || config === undefined
        ? []
        : buildPriorities(endpoints, config, profile, maxEndpoints),
    dropOverloads: eds?.endpoints?.dropOverloads.map((each) => ({ ...each })) ?? [],
    dnsHosts: children?.kind === 'dns' ? [...children.hosts] : [],
    leafClusters: [...(aggregate?.leafClusters ?? [])],
    skipped: aggregate?.skipped.map((each) => ({ ...each })) ?? [],
    cycles: [...(aggregate?.cycles ?? [])],
    missing: entry.missing.map(buildMissing),
    rejected: entry.rejected.map(buildRejected),
  };
}

function buildMissing({ isAbsent: _, ...missing }: MissingResource): MissingItem {
  return { ...missing, service: formatResourceType(missing.typeUrl) };
}

function buildRejected(rejection: Rejection): RejectedResource {
  return { ...rejection, service: formatResourceType(rejection.typeUrl) };
}

function buildIgnored({ part, resource, path, reason, rule }: Ignored): IgnoredItem {
  return { part, typeUrl: resource.typeUrl, name: resource.name, path, reason, rule };
}

/** Empty if none is measured. */
function describeFailure(failure: Endpoint['failure']): string {
  if (failure === undefined) return '';
  return failure === 'connection' ? 'the client cannot connect to it' : 'every request to it has failed';
}

function buildPriorities(
  { priorities, failingLoad }: LoadAssignment,
  { balancing }: ClusterConfig,
  profile: Profile,
  maxEndpoints: number,
): ResolvedCluster['priorities'] {
  let left = maxEndpoints;
  return priorities.map(({ priority, localities }) => ({
    priority,
    localities: localities.map((group): ResolvedLocality => {
      const skipped = whySkipped(group, clientOf(profile), weighsLocalities(localities, balancing));
      const { isFailing = false } = group;
      const listed = group.endpoints.slice(0, left);
      left -= listed.length;
      return {
        locality: formatLocality(group.locality),
        weight: group.weight,
        use: skipped === '' ? 'used' : 'ignored',
        reason: skipped || (isFailing && failingLoad ? describeFailingLoad(failingLoad) : ''),
        endpoints: listed.map((endpoint) => {
          const reason = skipped === '' ? whyUnused(endpoint, clientOf(profile)) : skipped;
          return {
            address: endpoint.address,
            additionalAddresses: [...endpoint.additionalAddresses],
            hostname: endpoint.hostname,
            health: endpoint.health,
            weight: endpoint.weight,
            use: reason === '' ? 'used' : 'ignored',
            reason: reason || describeFailure(endpoint.failure),
          };
        }),
        endpointsTotal: group.endpoints.length,
      };
    }),
  }));
}

const maxRoutes = 200;

function buildResolvedHost(
  hostConfig: HostConfig,
  chain: ChainConfig,
  config: RouteContext,
  routesFrom: number,
): ResolvedHost {
  const { resource, path, routeConfig, host, domain } = hostConfig;
  const reach = reachOfHost({ ...config, host: hostConfig, chain });
  const count = (kind: Reach['kind']): number => reach.filter((each) => each?.kind === kind).length;
  return {
    typeUrl: resource.typeUrl,
    name: resource.name,
    path,
    routeConfig,
    host: host.name,
    domains: [...host.domains],
    matchedDomain: domain,
    routes: buildResolvedRoutes(hostConfig, chain, config, [routesFrom, routesFrom + maxRoutes]),
    routesTotal: host.routes.length,
    neverReached: count('never'),
    perhapsReached: count('perhaps'),
    ...(host.matcherRoutes && { matcherRoutes: host.matcherRoutes.length }),
  };
}

/** The routes of a virtual host in a range of indexes. */
export function buildResolvedRoutes(
  hostConfig: HostConfig,
  chain: ChainConfig,
  context: RouteContext,
  [from, to]: readonly [from: number, to: number],
): ResolvedRoute[] {
  const { path, host, use } = hostConfig;
  const ignoredAt = new Map(use.ignored.map((ignored) => [ignored.path, ignored]));
  const reach = reachOfHost({ ...context, host: hostConfig, chain });
  return host.routes.slice(from, to).map((route, nth): ResolvedRoute => {
    const index = from + nth;
    const ignored = ignoredAt.get(`${path}.routes[${index}]`);
    const own = reach[index];
    const isIgnored = ignored?.part === 'route' || own?.kind === 'never';
    const reasons = [
      own === undefined || own.kind === 'reached' ? '' : own.reason,
      ignored?.reason ??
        [
          context.kind === 'api' && route.action.kind === 'non-forwarding'
            ? ['for servers only: at a client RPCs fail with UNAVAILABLE']
            : [],
          explainOverrides(route, host, chain.httpFilters, context.profile),
          explainEnvoy(route, host, context.profile),
        ]
          .flat()
          .join('; '),
    ];
    return {
      index,
      name: route.name,
      match: route.match,
      action: formatRouteAction(route.action),
      use: isIgnored ? 'ignored' : own?.kind === 'perhaps' ? 'perhaps' : 'used',
      reason: reasons.filter((text) => text !== '').join('; '),
      ...(own?.kind === 'never' && { isNeverReached: true as const }),
      ...(own?.witness !== undefined && { witness: formatRequest(own.witness) }),
      clusters: clustersOf(route).map(({ name, weight, criteria }) => {
        const use = isIgnored || weight === 0 ? 'ignored' : 'used';
        const fails = use === 'used' ? context.whyRequestsFail?.(name, criteria) : '';
        return { name, weight, use, ...(fails && { fails }) };
      }),
    };
  });
}
