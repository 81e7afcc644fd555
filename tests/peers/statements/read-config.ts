import type { Explanation } from '@/lib/views/explain/schema';
import type { Resolved, ResolvedChain, ResolvedCluster, ResolvedRoute } from '@/lib/views/resolved/schema';
import { LDS } from '@/lib/xds/resource-type';
import type { Statement } from './rows';
import type { Request } from './situation';

/** What the vantage lacks, as the effective config states it; undefined if it states nothing. */
export function whyUnknown(resolved: Resolved, request: Request): string | undefined {
  const { doubts, notes, missing, clusters, dynamic, chains } = resolved;
  const own = clusters.items.filter(({ name }) => request.clusters?.includes(name));
  const ofClusters = own.map(
    ({ notModelled, resolutionNote, kind }) => notModelled ?? (kind === 'other' ? resolutionNote : undefined),
  );
  return [
    ...doubts,
    ...notes.filter((note) => /^not (?:measured|modelled)/.test(note)),
    ...missing.flatMap(({ typeUrl, why, text }) =>
      why === 'in-doubt' || (typeUrl === LDS.typeUrl && why === 'never-asked')
        ? [`listener ${request.listener}: ${text}`]
        : [],
    ),
    ...chains.flatMap((chain) => (isChainOpen(chain, request) ? [`connections: ${chain.match}`] : [])),
    ...chains.flatMap(({ conditions }) =>
      conditions.flatMap(({ kind, text }) => (kind === 'limit' ? [`served if ${text}`] : [])),
    ),
    ...dynamic.map(({ plugin, text }) => `${plugin}: ${text}`),
    ...chains
      .flatMap(({ httpFilters }) => httpFilters.flatMap(({ denied }) => denied || []))
      .filter((text) => text.includes('external service')),
    ...chains.flatMap(({ httpFilters }) => httpFilters.flatMap(({ answers = [] }) => answers)),
    ...chains.flatMap((chain) =>
      findRoute(chain, request) === 'open' ? ['the match of a route depends on the request'] : [],
    ),
    ...ofClusters,
  ].find((each) => each !== undefined && each !== '');
}

/** Joins what is stated of the clusters among which requests are divided. */
export function join<Stated extends Statement | undefined>(
  statements: readonly Stated[],
): Stated | Statement {
  const [first] = statements;
  if (statements.length === 0) return 'unknown';
  if (statements.every((each) => each === first)) return first as Stated;
  return statements.some((each) => each === 'unknown' || each === undefined) ? 'unknown' : 'some fail';
}

export function stateOfConfig(resolved: Resolved, request: Request): Statement {
  const { status, chains, clusters } = resolved;
  if (status === 'error') return 'fails';
  if (resolved.missing.some(({ text }) => text.includes('accepts no connection'))) return 'fails';
  if (status !== 'resolved') return 'unknown';
  const isMeasured = !resolved.notes.some((note) => note.startsWith('not measured'));
  const chain = chains.find(({ name }) => request.chain === undefined || name === request.chain);
  if (chain === undefined) return 'unknown';
  if (isChainOpen(chain, request)) return 'unknown';
  if (chain.failure !== undefined) return 'fails';
  const ofConnection = stateOfConnection(chain, request);
  if (ofConnection !== 'succeeds') return ofConnection;
  const state = (names: readonly string[]): Statement => {
    const stated = join(names.map((name) => stateOfCluster(clusters.items, name, request.metadata)));
    return stated === 'succeeds' && !isMeasured ? 'unknown' : stated;
  };
  if (chain.tcpClusters.length > 0) return state(chain.tcpClusters.map(({ name }) => name));
  // What another filter does with a connection is not modelled.
  if (chain.routeConfigs.length === 0) return 'unknown';
  const route = findRoute(chain, request);
  if (route === 'open') return 'unknown';
  // A route may have a config of its own for a filter.
  const denied = chain.httpFilters.flatMap((filter) =>
    /for this route, filter "(.*)" (.*)/.exec(route?.reason ?? '')?.[1] === filter.name
      ? []
      : filter.denied || [],
  );
  if (denied.length > 0)
    return denied.some((each) => / (all requests|every request)\b/.test(each)) ? 'fails' : 'unknown';
  if (chain.httpFilters.some(({ answers }) => answers !== undefined)) return 'unknown';
  if (route === undefined) return 'fails';
  if (route.reason.includes('of external callers without TLS')) return 'unknown';
  if (route.reason.includes('redirected to HTTPS') && request.isTls === undefined)
    return request.intended === 301 ? 'succeeds' : 'fails';
  const own = /for this route, filter ".*" (.*)/.exec(route.reason)?.[1];
  if (own?.startsWith('denies all requests')) return 'fails';
  const isRetried = route.reason.includes('sent again');
  if (route.reason !== '' && !isRetried && own !== 'denies no requests') return 'unknown';
  const used = route.clusters.filter(({ weight }) => weight > 0).map(({ name }) => name);
  if (used.length > 0) {
    const stated = state(used);
    return isRetried && stated === 'some fail' ? 'unknown' : stated;
  }
  const status_ = /^responds (\d+)/.exec(route.action)?.[1];
  if (status_ !== undefined) return Number(status_) === (request.intended ?? 200) ? 'succeeds' : 'fails';
  return route.action.startsWith('redirect') && request.intended === 301 ? 'succeeds' : 'unknown';
}

/** The page shows which connections a filter chain matches, and not by which one a request comes. */
function isChainOpen({ match, failure }: ResolvedChain, request: Request): boolean {
  return match !== '' && failure === undefined && request.chain === undefined;
}

/** Callers speak HTTP/1.1 and have neither a certificate nor a header of the PROXY protocol. */
function stateOfConnection({ conditions, networkFilters }: ResolvedChain, { isTls }: Request): Statement {
  const kinds = new Set(conditions.map(({ kind }) => kind));
  if (kinds.has('tls') && !isTls) return 'fails';
  if (kinds.has('proxy-protocol') || kinds.has('certificate') || kinds.has('http2')) return 'fails';
  const denied = networkFilters.flatMap((filter) => filter.denied || []);
  if (denied.some((each) => each.startsWith('denies all connections'))) return 'fails';
  return kinds.has('limit') || denied.length > 0 ? 'unknown' : 'succeeds';
}

/** The request, as Explain is asked about it. */
export function explained({ path, listener, headers = {}, isTls, serverName = '' }: Request): object {
  const { host: authority = '127.0.0.1', ...others } = headers;
  return {
    ...{ method: 'GET', scheme: isTls ? 'https' : 'http', path, listener, authority },
    headers: Object.entries(others),
    connection: {
      ...{ isTls: isTls === true, serverName },
      ...{ sourceAddress: '127.0.0.1', applicationProtocols: ['http/1.1'] },
    },
  };
}

/** What the branches of an explanation have in common. Where it leads to endpoints, their state is that of the effective config. */
export function stateOfExplanation(
  { branches, unmeasured }: Explanation,
  resolved: Resolved,
  request: Request,
): Statement {
  const stated = join(
    branches.map(({ kind, status, cluster = '' }): Statement => {
      if (kind === 'unknown') return 'unknown';
      if (kind === 'forwarded') return stateOfCluster(resolved.clusters.items, cluster, request.metadata);
      return status === (request.intended ?? 200) ? 'succeeds' : 'fails';
    }),
  );
  if (branches.some(({ when }) => when.includes('the listener serves it'))) return 'unknown';
  if (stated === 'succeeds' && unmeasured !== undefined) return 'unknown';
  const [route] = resolved.chains.flatMap((chain) => findRoute(chain, request) ?? []);
  const isRetried = route !== undefined && route !== 'open' && route.reason.includes('sent again');
  if (stated === 'some fail' && isRetried) return 'unknown';
  // If the shares are not known, something that is not in the request decides.
  const isDivided = branches.every(({ percent }) => percent !== undefined);
  return stated === 'some fail' && branches.length > 1 && !isDivided ? 'unknown' : stated;
}

/** The route that is shown for a request: the first one of its virtual host that matches, and that is not ignored. */
function findRoute(
  chain: ResolvedChain,
  { path, headers = {} }: Request,
): ResolvedRoute | 'open' | undefined {
  const { host: authority = '' } = headers;
  const matches = (domain: string): number => {
    if (domain === authority) return 3;
    if (domain.startsWith('*.') && authority.endsWith(domain.slice(1))) return 2;
    return domain === '*' ? 1 : 0;
  };
  const rankOf = (domains: readonly string[]): number => Math.max(...domains.map(matches));
  const [host] = chain.virtualHosts.toSorted((a, b) => rankOf(b.domains) - rankOf(a.domains));
  if (host === undefined || rankOf(host.domains) === 0) return undefined;
  for (const route of host.routes) {
    if (route.use !== 'used') continue;
    if (/, 0% of requests$/.test(route.match)) continue;
    const [, kind, value = ''] = /^(prefix|path) ([^\s,]+)$/.exec(route.match) ?? [];
    if (kind === undefined) return 'open';
    if (kind === 'prefix' ? path.startsWith(value) : path === value) return route;
  }
  return undefined;
}

function stateOfCluster(items: readonly ResolvedCluster[], name: string, metadata?: string): Statement {
  const found = items.find((each) => each.name === name);
  // The route may name a cluster that the client does not have.
  if (found === undefined) return 'unknown';
  if (metadata !== undefined && found.subsets !== undefined) return stateOfSubset(found.subsets, metadata);
  const { status, use, leafClusters } = found;
  if (status !== 'ok') return status === 'error' ? 'fails' : 'unknown';
  if (leafClusters.length > 0) {
    // Requests go on to the next leaf if no host of one is usable.
    const leaves = leafClusters.map((leaf) => items.find((each) => each.name === leaf));
    const first = leaves.find((leaf) => leaf === undefined || leaf.use.usable > 0);
    return first === undefined ? 'unknown' : stateOfCluster(items, first.name);
  }
  const { usable, failing = 0 } = use;
  if (use.panicThreshold !== undefined) return failing > 0 ? 'some fail' : 'unknown';
  if (failing > 0) return failing === usable ? 'fails' : 'some fail';
  return usable > 0 ? 'succeeds' : 'unknown';
}

function stateOfSubset(subsets: NonNullable<ResolvedCluster['subsets']>, metadata: string): Statement {
  const own = subsets.find(({ requests }) => requests.startsWith(`requests ${metadata} (`));
  if (own === undefined || own.status === 'unknown') return 'unknown';
  if (own.status === 'error') return 'fails';
  return /cannot connect|has failed/.test(own.text) ? 'some fail' : 'succeeds';
}
