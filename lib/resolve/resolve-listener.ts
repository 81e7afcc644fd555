import { bootstrapTypeUrl } from '../model/bootstrap';
import type { CallerCondition } from '../model/caller-condition';
import type { ClusterBySni, FilterChain, HttpConnectionManager, ListenerModel } from '../model/listener';
import { type Reference, referencesOf } from '../model/references';
import type { WeightedCluster } from '../model/route';
import type { RuntimeValues } from '../model/runtime';
import { resourceKey } from '../observation/client-state';
import { describeDoubt } from '../observation/describe-doubt';
import type { ResourceKey } from '../observation/resource-state';
import { type Denied, findDenied } from '../requests/filters/denied';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, LDS, RDS, SDS } from '../xds/resource-type';
import { type DynamicClusters, describeHostUse, type HostUse } from './host-use';
import { type FilterUse, resolveHttpFilters } from './http-filters';
import { whyNothingServed } from './nothing-served';
import type { Rejection } from './rejection';
import { type RouteConfigUse, resolveRouteSource, type TableHost } from './resolve-routes';
import type { ResourceStore } from './resource-store';
import { selectVirtualHost } from './select-virtual-host';
import { authorityOfListener } from './start-of-target';
import { type ChainFailure, describeUnbound, whyUnreached } from './unreached-chain';
import type { ClusterUse, Ignored, MissingResource, UsedResource } from './xds-config';

export interface ResolveStart {
  readonly listener: string;
  /** The authority that a gRPC client dials; absent if the listener itself is resolved, which can be a server's. */
  readonly authority?: string | undefined;
}

export interface HostConfig extends TableHost {
  readonly routeConfig: string;
  /** The domain that matched the authority; absent if each request has its own authority. */
  readonly domain?: string | undefined;
  readonly use: HostUse;
}

export interface ChainConfig {
  readonly name: string;
  /** Formatted; empty if it matches every connection. */
  readonly match: string;
  readonly routeConfigs: readonly RouteConfigUse[];
  readonly hosts: readonly HostConfig[];
  readonly httpFilters: readonly FilterUse[];
  /** Network filters that are neither connection managers nor TCP proxies, with the connections that one denies. */
  readonly otherFilters: readonly (FilterChain['otherFilters'][number] & Denied)[];
  readonly tcpClusters: readonly WeightedCluster[];
  readonly clusterBySni?: ClusterBySni | undefined;
  /** The names of the secrets (SDS) of its transport socket. */
  readonly secrets: readonly string[];
  /** What an Envoy expects of callers. */
  readonly conditions: readonly CallerCondition[];
  /** A filter of its connections writes metadata by which a subset of hosts is chosen. */
  readonly setsLbMetadata?: true | undefined;
  /** Set if each of its connections or requests fails. */
  readonly failure?: ChainFailure | undefined;
}

/** Everything above the clusters. */
export interface ListenerConfig {
  readonly kind: 'api' | 'server' | 'unknown';
  readonly listener?: UsedResource | undefined;
  readonly address: string;
  /** The authority by which virtual hosts are selected; absent if each request has its own. */
  readonly authority?: string | undefined;
  readonly chains: readonly ChainConfig[];
  /** The runtime of an Envoy; absent: it is not known. */
  readonly runtime?: RuntimeValues | undefined;
  /** gRFC A74: why the whole config fails; empty if it does not. */
  readonly error: string;
  readonly missing: readonly MissingResource[];
  readonly notes: readonly string[];
  /** UsedResource.doubt of the listener and its route configurations. */
  readonly doubts: readonly string[];
  readonly ignored: readonly Ignored[];
  readonly clusters: ReadonlyMap<string, readonly ClusterUse[]>;
  readonly dynamic: readonly DynamicClusters[];
  /** Bodies of the listener and its routes that another client accepted and the profile's client would reject. */
  readonly rejected: readonly Rejection[];
  /** resourceKey() of each resource on which this depends; a type URL if it depends on all resources of the type. */
  readonly dependsOn: ReadonlySet<string>;
}

/** gRFC A74: LDS -> RDS (unless inline) -> the virtual host -> the clusters that it names. */
export function resolveListener(store: ResourceStore, start: ResolveStart, profile: Profile): ListenerConfig {
  const key = { typeUrl: LDS.typeUrl, name: start.listener };
  const dependsOn = new Set([keyTextOf(key)]);
  const empty: ListenerConfig = {
    kind: 'unknown',
    address: '',
    authority: start.authority,
    chains: [],
    error: '',
    missing: [],
    notes: [],
    doubts: [],
    ignored: [],
    clusters: new Map(),
    dynamic: [],
    rejected: [],
    dependsOn,
  };
  const standing = store.standingOf(LDS.typeUrl, start.listener, 'listener', 'the target');
  if (standing.kind === 'missing' && standing.missing.isAbsent)
    return { ...empty, error: `Envoy has no listener "${start.listener}", and accepts no connection for it` };
  if (standing.kind === 'missing') return { ...empty, missing: [standing.missing] };
  const rejected = standing.rejection === null ? [] : [standing.rejection];
  if (standing.kind === 'error') {
    const subject = standing.rejection === null ? '' : `listener "${start.listener}": `;
    return { ...empty, error: `${subject}${standing.reason}`, rejected };
  }
  const { model, used } = standing;
  const isApi = model.apiListener !== null;
  dependsOn.add(bootstrapTypeUrl);
  const { runtime } = store.ofKind(bootstrapTypeUrl, 'bootstrap')[0]?.model ?? {};
  const base = {
    ...empty,
    runtime,
    rejected,
    kind: isApi ? 'api' : 'server',
    listener: used,
    address: model.address,
  } as const;
  if (!isApi && start.authority !== undefined && clientOf(profile) !== 'envoy') {
    return { ...base, error: `listener "${start.listener}" is a socket listener, not an API listener` };
  }
  const isOneHost = isApi && (clientOf(profile) !== 'envoy' || start.authority !== undefined);
  const authority = isOneHost ? (start.authority ?? authorityOfListener(start.listener)) : undefined;
  const dependOn = ({ typeUrl, name }: { typeUrl: string; name: string | null }): void => {
    dependsOn.add(name === null ? typeUrl : keyTextOf({ typeUrl, name }));
  };
  const chains = chainsOf(model).map((chain) => {
    const side = isApi ? 'client' : 'server';
    const resolveManager = ({ routes, path }: HttpConnectionManager) =>
      resolveRouteSource({ store, routes, owner: key, path, profile, runtime, dependOn });
    for (const name of chain.secrets) dependOn({ typeUrl: SDS.typeUrl, name });
    const unreached = clientOf(profile) === 'envoy' ? whyUnreached(chain, model, store) : undefined;
    const routeConfigs = chain.managers.flatMap(resolveManager);
    const port = destinationPortOf(chain, model);
    const httpFilters = chain.managers.flatMap((manager) =>
      resolveHttpFilters(manager.httpFilters, { store, profile, side, port, dependOn }),
    );
    return buildChain(chain, routeConfigs, { authority, profile, side, unreached, port, httpFilters });
  });
  const configs = chains.map(({ config }) => config);
  const config = summarise({ ...base, authority, chains: configs }, chains, profile, referencesOf(model));
  const secrets = new Set(chainsOf(model).flatMap((chain) => chain.secrets));
  const inDoubt = clientOf(profile) === 'envoy' ? store.describeRejectedSecrets([...secrets]) : [];
  const mayNotListen = model.isUnbound === true && clientOf(profile) === 'envoy';
  const unbound = mayNotListen ? describeUnbound(start.listener, store, dependsOn) : [];
  const known = { ...config, doubts: [...config.doubts, ...unbound, ...inDoubt] };
  return store.find(key)?.row.doubt === 'replaced' ? mayUseEarlier(known) : known;
}

/** As long as the listener lacks routes, its predecessor may still be in effect. */
function mayUseEarlier(config: ListenerConfig): ListenerConfig {
  const { listener, missing } = config;
  if (listener === undefined || missing.length === 0) return config;
  const text = describeDoubt(listener, 'replaced');
  return { ...config, missing: missing.map((each) => ({ ...each, why: 'in-doubt', text })) };
}

function chainsOf({ apiListener, filterChains }: ListenerModel): readonly FilterChain[] {
  if (apiListener === null) return filterChains;
  return [
    {
      name: '',
      match: '',
      otherFilters: [],
      managers: [apiListener],
      tcpClusters: [],
      secrets: [],
      conditions: [],
    },
  ];
}

function destinationPortOf({ port }: FilterChain, { ports, isUnbound }: ListenerModel): number | undefined {
  if (port !== undefined || isUnbound) return port;
  return ports?.length === 1 ? ports[0] : undefined;
}

interface ChainContext {
  readonly authority?: string | undefined;
  readonly profile: Profile;
  readonly side: 'client' | 'server';
  /** Why no connection gets to its filters. */
  readonly unreached: ChainFailure | undefined;
  /** The destination port of its connections; undefined: several, or not known. */
  readonly port: number | undefined;
  readonly httpFilters: readonly FilterUse[];
}

interface BuiltChain {
  readonly config: ChainConfig;
  /** The reason why no virtual host was selected, or why it serves nothing; empty if one serves. */
  readonly error: string;
}

function buildChain(
  { managers: _managers, otherFilters, conditions, port: _matched, ...chain }: FilterChain,
  routeConfigs: readonly RouteConfigUse[],
  { authority, profile, side, unreached, port, httpFilters }: ChainContext,
): BuiltChain {
  let error = '';
  const hosts = routeConfigs.flatMap(({ table, hosts: all, name: routeConfig }): HostConfig[] => {
    if (table === null) return [];
    const configOf = (each: TableHost, domain: string | undefined): HostConfig => {
      const use = describeHostUse({ ...each, table, profile });
      return { ...each, routeConfig, domain, use };
    };
    if (authority === undefined) return all.map((each) => configOf(each, undefined));
    const choice = selectVirtualHost(
      all.map(({ host }) => host),
      authority,
      profile,
    );
    const chosen = choice.kind === 'found' ? all[choice.index] : undefined;
    if (choice.kind === 'found' && chosen !== undefined) return [configOf(chosen, choice.domain)];
    if (choice.kind === 'none') error = `route configuration "${routeConfig}": ${choice.reason}`;
    return [];
  });
  if (side === 'client' && authority !== undefined && error === '')
    error = hosts.map((each) => whyNothingServed(each, httpFilters, profile)).find(Boolean) ?? '';
  const withoutRoutes = side === 'client' ? undefined : whyNoRoute(routeConfigs, chain.tcpClusters, profile);
  const failure = unreached ?? withoutRoutes;
  const config = {
    ...chain,
    routeConfigs,
    hosts,
    httpFilters,
    otherFilters: otherFilters.map((each) => ({
      ...each,
      ...findDenied(each.config, 'connections', profile, port),
    })),
    failure,
    conditions: clientOf(profile) === 'envoy' ? conditions : [],
  };
  return { config, error };
}

function whyNoRoute(
  routeConfigs: readonly RouteConfigUse[],
  tcpClusters: readonly WeightedCluster[],
  profile: Profile,
): ChainFailure | undefined {
  const [first] = routeConfigs;
  if (first === undefined || tcpClusters.length > 0) return undefined;
  if (routeConfigs.some(({ error, hosts }) => error === '' && hosts.length > 0)) return undefined;
  // What is missing may still come, and so may virtual hosts on demand.
  if (routeConfigs.some(({ missing, table }) => missing.length > 0 || table?.vhds === true)) return undefined;
  const answer =
    clientOf(profile) === 'envoy' ? 'every request is answered with 404' : 'every RPC fails with UNAVAILABLE';
  const why = first.error || `route configuration "${first.name}" has no virtual host`;
  const by = first.source === 'inline' ? undefined : { typeUrl: RDS.typeUrl, name: first.name };
  return { text: `${answer}: ${why}`, by };
}

const ignoredByEnvoy =
  'Envoy ACKs an API listener that it receives over LDS and ignores it: this is the config of one in its bootstrap (L1)';

/** Combines the results of the chains. An API listener fails with its routes; a server fails per RPC (gRFC A36). */
function summarise(
  base: ListenerConfig,
  built: readonly BuiltChain[],
  profile: Profile,
  services: readonly Reference[],
): ListenerConfig {
  const { chains } = base;
  const uses = chains.flatMap(({ routeConfigs }) => routeConfigs);
  const hosts = chains.flatMap((chain) => chain.hosts);
  const unmatched = built.flatMap(({ error }) => (error === '' ? [] : [error]));
  // Measured with 1.64.1; 1.72.2 fails RPCs.
  const keepsRoutes = base.kind === 'api' && profile === 'go-1.64';
  const errors = [...uses.map(({ error }) => error), ...(keepsRoutes ? [] : unmatched)];
  const clusters = new Map<string, ClusterUse[]>();
  const watch = (spelling: string, added: readonly ClusterUse[]): void => {
    const name = normaliseResourceName(spelling);
    clusters.set(name, [...(clusters.get(name) ?? []), ...added]);
  };
  // A gRPC server does not forward requests, so it watches no clusters.
  const watches = base.kind === 'api' || clientOf(profile) === 'envoy';
  if (watches) {
    for (const { use } of hosts) for (const [name, added] of use.clusters) watch(name, added);
    for (const [at, { name, tcpClusters }] of chains.entries()) {
      for (const cluster of tcpClusters) {
        const by = name === '' ? `filter chain ${at + 1}` : `filter chain "${name}"`;
        if (cluster.name !== '') watch(cluster.name, [{ how: 'tcp', by }]);
      }
    }
  }
  // In Envoy, filters, access logs and tracers call clusters; gRPC uses other channels for them.
  if (clientOf(profile) === 'envoy') {
    for (const { typeUrl, name, how } of services) {
      if (typeUrl === CDS.typeUrl && how === 'service') watch(name, [{ how, by: 'a filter, log or tracer' }]);
    }
  }
  const { listener } = base;
  const filters = chains.flatMap(({ httpFilters }) => httpFilters);
  const ignoredFilters: Ignored[] =
    listener === undefined
      ? []
      : filters
          .filter(({ ignoredBecause }) => ignoredBecause !== '')
          .map(({ name, ignoredBecause: reason }) => ({
            part: 'http-filter',
            resource: { typeUrl: listener.typeUrl, name: listener.name },
            path: `http filter "${name}"`,
            reason,
            rule: '',
          }));
  const ambient = listener === undefined || listener.note === '' ? [] : [listener.note];
  const reported = errors.filter((each) => each !== '');
  const failing = chains.filter(({ failure }) => failure !== undefined);
  return {
    ...base,
    error: base.kind === 'api' ? (reported[0] ?? '') : whyAllFail(chains, failing),
    missing: uses.flatMap(({ missing }) => missing),
    doubts: [
      ...[listener, ...uses.map(({ resource }) => resource)].flatMap((used) => used?.doubt ?? []),
      ...(keepsRoutes
        ? unmatched.map((why) => `${why}. gRPC-Go 1.64 keeps the routes that it had before, if any`)
        : []),
    ],
    notes: [
      ...new Set([
        ...ambient,
        ...(base.kind === 'api' && clientOf(profile) === 'envoy' ? [ignoredByEnvoy] : []),
        ...uses.flatMap(({ notes }) => notes),
        ...(base.kind === 'server' ? reported.filter((each) => !isOf(each, failing)) : []),
        ...(clientOf(profile) === 'envoy' ? chains.flatMap(describeOtherFilter) : []),
        ...(failing.length < chains.length ? failing : []).map(
          ({ name, match, failure }) => `filter chain "${name || match}": ${failure?.text}`,
        ),
        ...(watches || hosts.every(({ use }) => use.clusters.size === 0)
          ? []
          : [
              'A gRPC server does not forward requests: RPCs that match a forwarding route fail with UNAVAILABLE (S9)',
            ]),
      ]),
    ],
    ignored: [...ignoredFilters, ...hosts.flatMap(({ use }) => use.ignored)],
    clusters,
    dynamic: [...hosts.flatMap(({ use }) => use.dynamic), ...chains.flatMap(describeSni)],
    rejected: [...base.rejected, ...uses.flatMap((use) => use.rejected)],
  };
}

function describeSni({ clusterBySni }: ChainConfig): DynamicClusters[] {
  if (clusterBySni === undefined) return [];
  const { filter, format, otherwise } = clusterBySni;
  const names = otherwise?.map(({ name }) => JSON.stringify(name)).join(', ');
  const others = names === undefined ? '' : `; connections without one are proxied to ${names}`;
  const text = `the server name (SNI) of each connection names the cluster (${format})${others}`;
  return [{ plugin: `filter ${filter}`, typeName: '', text }];
}

/** States which network filter decides what happens to the connections of a chain without an HTTP connection manager and TCP proxy. */
function describeOtherFilter({
  name,
  match,
  routeConfigs,
  tcpClusters,
  clusterBySni,
  otherFilters,
}: ChainConfig): string[] {
  const last = otherFilters.at(-1);
  const isModelled = routeConfigs.length + tcpClusters.length > 0 || clusterBySni !== undefined;
  if (last === undefined || isModelled) return [];
  return [
    `not modelled: filter "${last.name}" of filter chain "${name || match}" decides where its connections go`,
  ];
}

function isOf(error: string, failing: readonly ChainConfig[]): boolean {
  return failing.some(({ failure }) => failure?.text.includes(error));
}

function whyAllFail(chains: readonly ChainConfig[], failing: readonly ChainConfig[]): string {
  const [first] = failing;
  return first !== undefined && failing.length === chains.length ? (first.failure?.text ?? '') : '';
}

function keyTextOf({ typeUrl, name }: ResourceKey): string {
  return resourceKey({ typeUrl, name: normaliseResourceName(name) });
}
