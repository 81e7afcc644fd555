import type {
  IgnoredItem,
  MissingItem,
  RefusedResource,
  Resolved,
  ResolvedChain,
  ResolvedCluster,
} from '../../api/resolved';
import type { Refusal } from '../../resolve/refusal';
import type { ChainConfig, ListenerConfig } from '../../resolve/resolve-listener';
import type { ResolveProfile } from '../../resolve/resolve-profile';
import type { Resolver } from '../../resolve/resolver';
import type {
  ClusterEntry,
  ClusterUse,
  Ignored,
  MissingResource,
  ResolvedClusterStatus,
} from '../../resolve/xds-config';
import { formatResourceType } from '../../xds/resource-type';
import { buildResolvedHost } from './build-resolved-host';
import { buildPriorities } from './build-resolved-priorities';

export interface ResolvedPage {
  readonly offset: number;
  readonly limit: number;
  /** Clusters whose names hold this alone; empty: all. */
  readonly find: string;
  /** This cluster alone. */
  readonly cluster?: string;
  /** Clusters of this status alone. */
  readonly status?: ResolvedClusterStatus;
  /** Listed of one cluster at the most; the counts are whole. */
  readonly endpoints: number;
  /** Where the listed virtual hosts of each chain begin, and the listed routes of each virtual host. */
  readonly hostsFrom?: number;
  readonly routesFrom?: number;
}

const maxMissing = 200;
const maxRefused = 200;
const maxIgnored = 500;
const maxHosts = 100;
const maxUses = 20;

export type ResolvedContent = Pick<
  Resolved,
  | 'status'
  | 'error'
  | 'missing'
  | 'missingTotal'
  | 'notes'
  | 'listener'
  | 'refused'
  | 'refusedTotal'
  | 'chains'
  | 'dynamic'
  | 'clusters'
  | 'ignored'
  | 'ignoredTotal'
>;

/** The resolver's state as the API tells it: long lists are cut or paged, their lengths are whole. */
export function buildResolved(
  resolver: Resolver,
  profile: ResolveProfile,
  page: ResolvedPage,
): ResolvedContent {
  const { listener: config, status } = resolver;
  const { offset, limit, endpoints } = page;
  const byStatus = { ok: 0, error: 0, waiting: 0 };
  const items: ResolvedCluster[] = [];
  const missing = config.missing.map(buildMissing);
  const ignored = config.ignored.slice(0, maxIgnored).map(buildIgnored);
  let missingTotal = missing.length;
  let ignoredTotal = config.ignored.length;
  let refusedTotal = config.refused.length;
  let total = 0;
  for (const { entry, uses } of resolver.clusters()) {
    byStatus[statusOf(entry)] += 1;
    const awaited = resolver.isAwaited(entry.name) ? entry.missing : [];
    missingTotal += awaited.length;
    ignoredTotal += entry.ignored.length;
    refusedTotal += entry.refused.length;
    for (const each of awaited) if (missing.length < maxMissing) missing.push(buildMissing(each));
    for (const each of entry.ignored) if (ignored.length < maxIgnored) ignored.push(buildIgnored(each));
    if (!isAsked(entry, page)) continue;
    if (total >= offset && items.length < limit) items.push(buildCluster(entry, uses, profile, endpoints));
    total += 1;
  }
  return {
    status,
    error: config.error,
    missing: missing.slice(0, maxMissing),
    missingTotal,
    notes: [...config.notes],
    listener: config.listener,
    refused: config.refused.slice(0, maxRefused).map(buildRefused),
    refusedTotal,
    chains: config.chains.map((chain) => buildChain(chain, config, page)),
    dynamic: config.dynamic.map((each) => ({ ...each })),
    clusters: { total, byStatus, offset, items },
    ignored,
    ignoredTotal,
  };
}

function isAsked(entry: ClusterEntry, { find, cluster, status }: ResolvedPage): boolean {
  if (cluster !== undefined && entry.name !== cluster) return false;
  return entry.name.includes(find) && (status === undefined || statusOf(entry) === status);
}

function buildChain(
  chain: ChainConfig,
  config: ListenerConfig,
  { hostsFrom = 0, routesFrom = 0 }: ResolvedPage,
): ResolvedChain {
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
    virtualHosts: chain.hosts
      .slice(hostsFrom, hostsFrom + maxHosts)
      .map((host) => buildResolvedHost(host, config, routesFrom)),
    virtualHostsTotal: chain.hosts.length,
    httpFilters: chain.httpFilters.map(({ name, typeName, ignoredBecause: reason }) => ({
      name,
      typeName,
      use: reason === '' ? 'used' : 'ignored',
      reason,
    })),
    tcpClusters: chain.tcpClusters.map((each) => ({ ...each })),
  };
}

function statusOf({ config, missing }: ClusterEntry): ResolvedCluster['status'] {
  if (config?.ok === false) return 'error';
  return config === null || missing.length > 0 ? 'waiting' : 'ok';
}

function buildCluster(
  entry: ClusterEntry,
  uses: readonly ClusterUse[],
  profile: ResolveProfile,
  maxEndpoints: number,
): ResolvedCluster {
  const config = entry.config?.ok === true ? entry.config.value : undefined;
  const children = config?.children;
  const eds = children?.kind === 'endpoints' ? children : undefined;
  const aggregate = children?.kind === 'aggregate' ? children : undefined;
  return {
    name: entry.name,
    status: statusOf(entry),
    error: entry.config?.ok === false ? entry.config.error : '',
    resource: config?.resource ?? null,
    usedBy: uses.slice(0, maxUses).map((use) => ({ ...use })),
    usedByTotal: uses.length,
    kind: children?.kind ?? 'unknown',
    lbPolicies: [...(config?.lbPolicies ?? [])],
    resolutionNote: children?.resolutionNote ?? '',
    serviceName: eds?.serviceName ?? '',
    endpointsResource: eds?.resource ?? null,
    use: eds?.use ?? { priorities: 0, localities: 0, endpoints: 0, usable: 0 },
    priorities: eds?.endpoints ? buildPriorities(eds.endpoints, profile, maxEndpoints) : [],
    dropOverloads: eds?.endpoints?.dropOverloads.map((each) => ({ ...each })) ?? [],
    dnsHosts: children?.kind === 'dns' ? [...children.hosts] : [],
    leafClusters: [...(aggregate?.leafClusters ?? [])],
    skipped: aggregate?.skipped.map((each) => ({ ...each })) ?? [],
    cycles: [...(aggregate?.cycles ?? [])],
    missing: entry.missing.map(buildMissing),
    refused: entry.refused.map(buildRefused),
  };
}

function buildMissing(missing: MissingResource): MissingItem {
  return { ...missing, service: formatResourceType(missing.typeUrl) };
}

function buildRefused(refusal: Refusal): RefusedResource {
  return { ...refusal, service: formatResourceType(refusal.typeUrl) };
}

function buildIgnored({ part, resource, path, reason, rule }: Ignored): IgnoredItem {
  return { part, typeUrl: resource.typeUrl, name: resource.name, path, reason, rule };
}
