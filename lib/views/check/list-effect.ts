import { formatCounted } from '../../format/count';
import { formatShare, formatWeightShare } from '../../format/share';
import { grpcProfileOf } from '../../lb/grpc-profile';
import { trafficOfCluster } from '../../lb/simulator/traffic-of-cluster';
import { whyNoSharesOfCluster } from '../../lb/simulator/why-no-shares';
import type { ChosenBy } from '../../resolve/choose-for-request';
import type { ChainConfig } from '../../resolve/resolve-listener';
import type { Resolver } from '../../resolve/resolver';
import { describeSubsetRequests } from '../../resolve/subset-requests';
import {
  type ClusterEntry,
  errorOfCluster,
  type MissingResource,
  statusOfCluster,
} from '../../resolve/xds-config';
import { clientOf, type Profile } from '../../xds/profile';
import { formatResourceType } from '../../xds/resource-type';
import { buildSimulation } from '../failover/build-simulation';
import { buildResolvedRoutes } from '../resolved/build-resolved';
import type { ResolvedRoute } from '../resolved/schema';
import type { EffectChange } from './schema';

/** One part of an effective config, and what it does, as a text that differs if that differs. */
export interface EffectLine extends Pick<EffectChange, 'what' | 'at'> {
  readonly text: string;
}

export interface EffectLines {
  readonly lines: readonly EffectLine[];
  readonly isCut: boolean;
}

/** Limits the lines of one listener, which are copied to the main thread. */
const mostLines = 20_000;
/** The kinds of requests to a cluster whose shares are listed. */
const mostKinds = 20;

/**
 * What a listener does: its status, its filter chains, each route, and each cluster with its usable endpoints. `withShares`
 * are the clusters, or the names of their endpoints, whose
 * shares by priority and locality are wanted as well.
 */
export function listEffect(
  resolver: Resolver,
  profile: Profile,
  withShares: ReadonlySet<string>,
): EffectLines {
  const lines: EffectLine[] = [];
  let isCut = false;
  for (const line of effectLines(resolver, profile, withShares)) {
    isCut = lines.length >= mostLines;
    if (isCut) break;
    lines.push(line);
  }
  return { lines, isCut };
}

function* effectLines(
  resolver: Resolver,
  profile: Profile,
  withShares: ReadonlySet<string>,
): Generator<EffectLine> {
  const { listener, status } = resolver;
  const [missing] = resolver.missing();
  const reason =
    listener.error || listener.doubts[0] || (missing === undefined ? '' : textOfMissing(missing));
  yield { what: 'config', at: '', text: reason === '' ? status : `${status}: ${reason}` };
  for (const [index, chain] of listener.chains.entries()) {
    yield* linesOfChain(chain, listener.chains.length === 1 ? '' : nameOfChain(chain, index), {
      kind: listener.kind,
      authority: listener.authority,
      profile,
    });
  }
  for (const { entry } of resolver.clusters()) {
    const text = [textOfCluster(entry), ...sharesOf(resolver, entry, profile, withShares)].join('; ');
    yield { what: 'cluster', at: entry.name, text };
  }
}

function nameOfChain({ name, match }: ChainConfig, index: number): string {
  return name || match || `filter chain ${index}`;
}

function* linesOfChain(
  chain: ChainConfig,
  at: string,
  context: Pick<Resolver['listener'], 'kind' | 'authority'> & { readonly profile: Profile },
): Generator<EffectLine> {
  const { failure, tcpClusters, hosts } = chain;
  const text =
    failure?.text ?? (tcpClusters.length > 0 ? textOfClusters(tcpClusters) : textOfMatch(chain.match));
  yield { what: 'chain', at, text };
  for (const hostConfig of hosts) {
    const { host, routeConfig } = hostConfig;
    const prefix = [at, host.domains.slice(0, 3).join(', ') || host.name || routeConfig];
    const routes = buildResolvedRoutes(hostConfig, chain, context, [0, host.routes.length]);
    for (const route of routes) {
      const place = [...prefix, route.match].filter((part) => part !== '').join(' ');
      yield { what: 'route', at: place, text: textOfRoute(route) };
    }
  }
}

function textOfMissing({ typeUrl, name, text }: MissingResource): string {
  return `${formatResourceType(typeUrl)} "${name}": ${text}`;
}

function textOfMatch(match: string): string {
  return match === '' ? 'matches every connection' : `matches ${match}`;
}

function textOfRoute({ action, clusters, use, reason }: ResolvedRoute): string {
  const target = action || textOfClusters(clusters) || 'no cluster';
  if (use === 'ignored') return `never used: ${reason}`;
  return reason === '' ? target : `${target} (${reason})`;
}

function textOfClusters(clusters: readonly { readonly name: string; readonly weight: number }[]): string {
  if (clusters.length === 1) return clusters[0]?.name ?? '';
  const sum = clusters.reduce((total, { weight }) => total + weight, 0);
  return clusters.map(({ name, weight }) => `${name} ${formatWeightShare(weight, sum) ?? '0%'}`).join(', ');
}

function textOfCluster(entry: ClusterEntry): string {
  const status = statusOfCluster(entry);
  const [missing] = entry.missing;
  const notModelled = entry.config?.ok === true ? entry.config.value.notModelled : undefined;
  const why =
    errorOfCluster(entry) ||
    (missing === undefined ? '' : textOfMissing(missing)) ||
    (notModelled === undefined ? '' : `not known: ${notModelled}`);
  if (status !== 'ok') return why === '' ? status : `${status}: ${why}`;
  const children = entry.config?.ok === true ? entry.config.value.children : undefined;
  if (children?.kind === 'aggregate') return `aggregate of ${children.leafClusters.join(', ')}`;
  const use = children?.kind === 'endpoints' || children?.kind === 'dns' ? children.use : undefined;
  if (use === undefined) return status;
  const { usable, failing = 0, endpoints } = use;
  const fail = failing === 0 ? '' : `, ${failing} of them ${failing === 1 ? 'fails' : 'fail'}, as measured`;
  return `${usable} of ${formatCounted(endpoints, 'endpoint')} usable${fail}`;
}

/** The shares of each kind of requests to a cluster with subsets, and of all requests to any other. */
function sharesOf(
  resolver: Resolver,
  { name, config }: ClusterEntry,
  profile: Profile,
  withShares: ReadonlySet<string>,
): string[] {
  const value = config?.ok === true ? config.value : undefined;
  const service = value?.children.kind === 'endpoints' ? value.children.serviceName : '';
  if (!withShares.has(name) && !withShares.has(service)) return [];
  const { subsets = [] } = value ?? {};
  if (subsets.length < 2) return sharesOfRequests(resolver, name, profile);
  const kinds = subsets.slice(0, mostKinds).map(({ requests }) => {
    const [shares = 'no endpoint'] = sharesOfRequests(resolver, name, profile, requests);
    return `${describeSubsetRequests(requests)}: ${shares}`;
  });
  const more = subsets.length - kinds.length;
  return more === 0 ? kinds : [...kinds, `${formatCounted(more, 'more kind')} of requests`];
}

/** The shares of priorities and localities without a change of any endpoint; none if they are not known. */
function sharesOfRequests(resolver: Resolver, name: string, profile: Profile, requests?: ChosenBy): string[] {
  const isEnvoy = clientOf(profile) === 'envoy';
  const findCluster = (each: string) => resolver.findCluster(each);
  const traffic = trafficOfCluster(name, grpcProfileOf(profile), findCluster, requests);
  if (typeof traffic === 'string') return [];
  const rules = isEnvoy ? 'envoy' : 'grpc';
  const unknown = whyNoSharesOfCluster(rules, name, traffic.cluster, findCluster);
  if (unknown !== '') return [unknown];
  const { priorities, moments } = buildSimulation(traffic, [], 0);
  const [now] = moments;
  if (isEnvoy && now?.envoy.failing === 1) return ['every request fails'];
  const shares = now?.[rules].localities ?? [];
  const parts = priorities.flatMap(({ localities }, priority) =>
    localities.map(
      (locality, index) => `P${priority} ${locality.name} ${formatShare(shares[priority]?.[index] ?? 0)}`,
    ),
  );
  return parts.length === 0 ? [] : [parts.join(', ')];
}
