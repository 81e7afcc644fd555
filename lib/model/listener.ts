import { messageNameOf } from '../xds/resource-type';
import { formatAddress } from './address';
import { type ConfigSourceKind, readConfigSource } from './config-source';
import type { FieldReader } from './field-reader';
import { readDenied } from './rbac';
import { readWeightedClusters, type WeightedCluster } from './route';
import {
  type RouteTable,
  readRouteTable,
  readScopedRouteConfig,
  type ScopedRouteConfigModel,
} from './route-config';
import { readSecretNames } from './transport-secrets';

export type RouteSource =
  | { readonly kind: 'rds'; readonly name: string; readonly from: ConfigSourceKind }
  | { readonly kind: 'inline'; readonly table: RouteTable }
  /** `scopes` if they are inline; otherwise every SRDS resource that the client has applies. */
  | {
      readonly kind: 'scoped';
      readonly scopes: readonly ScopedRouteConfigModel[] | null;
      readonly from: ConfigSourceKind;
    }
  | { readonly kind: 'none' };

export interface HttpFilter {
  readonly name: string;
  /** True if its config is an ECDS resource with the name of the filter. */
  readonly isDiscovered: boolean;
  /** Message name of its config, or the inner type of a TypedStruct; empty if there is none. */
  readonly typeName: string;
  /** A client that does not support the type drops an optional filter (rule L8). */
  readonly isOptional: boolean;
  /** A description of the requests that it denies; empty if there are none, or if its type does not deny requests. */
  readonly denied: string;
}

export interface HttpConnectionManager {
  readonly routes: RouteSource;
  readonly httpFilters: readonly HttpFilter[];
}

export interface FilterChain {
  readonly name: string;
  /** Formatted; empty if it matches every connection. */
  readonly match: string;
  readonly managers: readonly HttpConnectionManager[];
  /** Targets of TCP proxies; a single cluster has weight 1. */
  readonly tcpClusters: readonly WeightedCluster[];
  /** Names of network filters that are neither connection managers nor TCP proxies. */
  readonly otherFilters: readonly string[];
  /** Network filters that can deny connections. */
  readonly denying: readonly { readonly name: string; readonly denied: string }[];
  /** Names of the SDS secrets of its transport socket. */
  readonly secrets: readonly string[];
}

export interface ListenerModel {
  readonly kind: 'listener';
  /** gRFC A27: what an xDS-enabled gRPC client watches; null for a socket listener. */
  readonly apiListener: HttpConnectionManager | null;
  /** "0.0.0.0:8080"; empty for an API listener. */
  readonly address: string;
  /** The default chain is the last one, named "default". */
  readonly filterChains: readonly FilterChain[];
}

const managerType = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const tcpProxyType = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';

export function readListener(listener: FieldReader): ListenerModel {
  const fallback = listener.object('defaultFilterChain');
  const chains = [...listener.objects('filterChains'), ...(fallback === undefined ? [] : [fallback])];
  return {
    kind: 'listener',
    apiListener: readApiListener(listener.object('apiListener')),
    address: formatAddress(listener.object('address')),
    filterChains: chains.map((chain) => readFilterChain(chain, chain === fallback)),
  };
}

function readApiListener(apiListener: FieldReader | undefined): HttpConnectionManager | null {
  if (apiListener === undefined) return null;
  const manager = apiListener.object('apiListener');
  if (manager?.messageName() === managerType) return readManager(manager);
  apiListener.note('apiListener', `expected ${managerType}, got ${manager?.messageName() || 'nothing'}`);
  return { routes: { kind: 'none' }, httpFilters: [] };
}

function readFilterChain(chain: FieldReader, isDefault: boolean): FilterChain {
  const managers: HttpConnectionManager[] = [];
  const tcpClusters: WeightedCluster[] = [];
  const otherFilters: string[] = [];
  const denying: { readonly name: string; readonly denied: string }[] = [];
  for (const filter of chain.objects('filters')) {
    const config = filter.object('typedConfig');
    if (config?.messageName() === managerType) managers.push(readManager(config));
    else if (config?.messageName() === tcpProxyType) tcpClusters.push(...readTcpClusters(config));
    else {
      const name = filter.string('name') || config?.messageName() || 'unnamed';
      otherFilters.push(name);
      const denied = readDenied(config, 'connections');
      if (denied !== '') denying.push({ name, denied });
    }
  }
  return {
    name: chain.string('name') || (isDefault ? 'default' : ''),
    match: readFilterChainMatch(chain.object('filterChainMatch')),
    managers,
    tcpClusters,
    otherFilters,
    denying,
    secrets: readSecretNames(chain.object('transportSocket')),
  };
}

function readTcpClusters(proxy: FieldReader): WeightedCluster[] {
  const cluster = proxy.string('cluster');
  return cluster === ''
    ? readWeightedClusters(proxy.object('weightedClusters'))
    : [{ name: cluster, weight: 1 }];
}

function readManager(manager: FieldReader): HttpConnectionManager {
  return {
    routes: readRouteSource(manager),
    httpFilters: manager.objects('httpFilters').map((filter) => ({
      name: filter.string('name'),
      isDiscovered: filter.has('configDiscovery'),
      typeName: readExtensionType(filter.object('typedConfig')),
      isOptional: filter.boolean('isOptional'),
      denied: readDenied(filter.object('typedConfig'), 'requests'),
    })),
  };
}

function readExtensionType(config: FieldReader | undefined): string {
  const name = config?.messageName() ?? '';
  return name.endsWith('.TypedStruct') ? messageNameOf(config?.string('typeUrl') ?? '') : name;
}

function readRouteSource(manager: FieldReader): RouteSource {
  const rds = manager.object('rds');
  if (rds !== undefined) {
    const from = readConfigSource(rds.object('configSource'));
    return { kind: 'rds', name: rds.string('routeConfigName'), from };
  }
  const inline = manager.object('routeConfig');
  if (inline !== undefined) return { kind: 'inline', table: readRouteTable(inline) };
  const scoped = manager.object('scopedRoutes');
  if (scoped === undefined) return { kind: 'none' };
  const list = scoped.object('scopedRouteConfigurationsList');
  const scopes = list?.objects('scopedRouteConfigurations').map(readScopedRouteConfig) ?? null;
  const from = readConfigSource(scoped.object('scopedRds')?.object('scopedRdsConfigSource'));
  return { kind: 'scoped', scopes, from };
}

function readFilterChainMatch(match: FieldReader | undefined): string {
  if (match === undefined) return '';
  const port = match.number('destinationPort');
  const ranges = match.objects('prefixRanges').map((range) => {
    const length = range.number('prefixLen');
    return `${range.string('addressPrefix')}${length === undefined ? '' : `/${length}`}`;
  });
  const words = [
    port === undefined ? '' : `port ${port}`,
    match.strings('serverNames').join(' or '),
    ranges.join(' or '),
    match.string('transportProtocol'),
    match.strings('applicationProtocols').join(' or '),
  ];
  return words.filter((word) => word !== '').join(', ');
}
