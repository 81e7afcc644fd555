import { formatAddress } from './address';
import { type CallerCondition, readCallerConditions } from './caller-condition';
import { type ConfigSourceKind, readConfigSource } from './config-source';
import { type ExtensionModel, readExtension } from './extension';
import { FieldReader } from './field-reader';
import { type ChainChoice, describeChoice, readChainChoice } from './filter-chain-matcher';
import { readFilterClusters } from './filter-clusters';
import { type FilterConfig, keepConfig } from './filter-config';
import { namesLbMetadata } from './metadata-doubt';
import { readCriteria, readWeightedClusters, type WeightedCluster } from './route';
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

export interface HttpFilter extends ExtensionModel {
  readonly name: string;
  /** True if its config is an ECDS resource with the name of the filter. */
  readonly isDiscovered: boolean;
  /** config_discovery.default_config; absent: there is none. */
  readonly byDefault?: ExtensionModel;
  /** A client that does not support the type drops an optional filter (rule L8). */
  readonly isOptional: boolean;
  /** It is called only for routes that enable it. */
  readonly isDisabled: boolean;
}

export interface HttpConnectionManager {
  /** Its path in the listener, such as "filterChains[0].filters[1].typedConfig". */
  readonly path: string;
  readonly routes: RouteSource;
  readonly httpFilters: readonly HttpFilter[];
}

interface NetworkFilter extends FilterConfig {
  readonly name: string;
  readonly typeName: string;
  /** The clusters to which it forwards. */
  readonly clusters: readonly string[];
}

/** The cluster of a connection that the filter state envoy.tcp_proxy.cluster names, by the server name (SNI). */
export interface ClusterBySni {
  /** The name of the filter. */
  readonly filter: string;
  /** As in "outbound_%REQUESTED_SERVER_NAME%". */
  readonly format: string;
  /** The clusters of connections without a server name; absent: their cluster is not known. */
  readonly otherwise?: readonly WeightedCluster[];
}

export interface FilterChain {
  readonly name: string;
  /** Formatted; empty if it matches every connection. */
  readonly match: string;
  /** The destination port of its connections; absent: any. */
  readonly port?: number;
  readonly managers: readonly HttpConnectionManager[];
  /** Targets of TCP proxies; a single cluster has weight 1. */
  readonly tcpClusters: readonly WeightedCluster[];
  /** Set if a filter before the TCP proxy names the cluster of each connection. */
  readonly clusterBySni?: ClusterBySni;
  /** Network filters that are neither connection managers nor TCP proxies. */
  readonly otherFilters: readonly NetworkFilter[];
  /** Names of the SDS secrets of its transport socket. */
  readonly secrets: readonly string[];
  readonly conditions: readonly CallerCondition[];
  /** A filter of its connections writes metadata by which a subset of hosts is chosen. */
  readonly setsLbMetadata?: true;
}

export interface ListenerModel {
  readonly kind: 'listener';
  /** gRFC A27: what an xDS-enabled gRPC client watches; null for a socket listener. */
  readonly apiListener: HttpConnectionManager | null;
  /** "0.0.0.0:8080"; empty for an API listener. */
  readonly address: string;
  /** bind_to_port is false: only another listener hands connections to it. */
  readonly isUnbound?: true;
  /** use_original_dst: it hands each connection to the listener of its original destination, if there is one. */
  readonly handsOver?: true;
  /** The ports at which it listens; absent if its connections can have another destination port, as with original_dst. */
  readonly ports?: readonly number[];
  /** The default chain is the last one, named "default". */
  readonly filterChains: readonly FilterChain[];
}

const managerType = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const sniClusterType = 'envoy.extensions.filters.network.sni_cluster.v3.SniCluster';
const setFilterStateType = 'envoy.extensions.filters.network.set_filter_state.v3.Config';
const tcpProxyType = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';

export function readListener(listener: FieldReader): ListenerModel {
  const fallback = listener.object('defaultFilterChain');
  const chains = [...listener.objects('filterChains'), ...(fallback === undefined ? [] : [fallback])];
  const matcher = listener.object('filterChainMatcher');
  const choice = matcher && readChainChoice(matcher);
  const setsLbMetadata = listener.objects('listenerFilters').some(namesLbMetadata);
  return {
    kind: 'listener',
    apiListener: readApiListener(listener.object('apiListener')),
    address: formatAddress(listener.object('address')),
    ...((isFalse(listener) || isFalse(listener.object('deprecatedV1'))) && { isUnbound: true as const }),
    ...(listener.boolean('useOriginalDst') && { handsOver: true as const }),
    ...readPorts(listener),
    filterChains: chains.map((chain, index) => {
      const path = chain === fallback ? 'defaultFilterChain' : `filterChains[${index}]`;
      return {
        ...readFilterChain(chain, path, choice),
        conditions: readCallerConditions(listener, chain, path),
        ...(setsLbMetadata && { setsLbMetadata }),
      };
    }),
  };
}

/** The filters of a listener that leave the destination of a connection as it is, by the ends of their types. */
const keepsDestination =
  /\.(?:tls_inspector\.v3\.TlsInspector|http_inspector\.v3\.HttpInspector|original_src\.v3\.OriginalSrc)$/;

function readPorts(listener: FieldReader): Pick<ListenerModel, 'ports'> {
  const isElsewhere = listener.boolean('useOriginalDst') || listener.boolean('transparent');
  const filters = listener
    .objects('listenerFilters')
    .map((each) => each.object('typedConfig')?.messageName());
  if (isElsewhere || !filters.every((type = '') => keepsDestination.test(type))) return {};
  const addresses = [listener, ...listener.objects('additionalAddresses')].map((each) =>
    each.object('address'),
  );
  const ports = addresses.map((address) => address?.object('socketAddress')?.number('portValue') ?? 0);
  // The kernel chooses a port in place of 0.
  return ports.includes(0) ? {} : { ports };
}

function isFalse(owner: FieldReader | undefined): boolean {
  return owner?.has('bindToPort') === true && !owner.boolean('bindToPort');
}

function readApiListener(apiListener: FieldReader | undefined): HttpConnectionManager | null {
  if (apiListener === undefined) return null;
  const manager = apiListener.object('apiListener');
  const path = 'apiListener.apiListener';
  if (manager?.messageName() === managerType) return readManager(manager, path);
  apiListener.note('apiListener', `expected ${managerType}, got ${manager?.messageName() || 'nothing'}`);
  return { path, routes: { kind: 'none' }, httpFilters: [] };
}

function readFilterChain(
  chain: FieldReader,
  path: string,
  choice: ChainChoice | undefined,
): Omit<FilterChain, 'conditions'> {
  const isDefault = path === 'defaultFilterChain';
  const managers: HttpConnectionManager[] = [];
  const tcpClusters: WeightedCluster[] = [];
  const otherFilters: FilterChain['otherFilters'][number][] = [];
  let setsLbMetadata = false;
  let named: ReturnType<typeof readNamedCluster>;
  let clusterBySni: ClusterBySni | undefined;
  for (const [index, filter] of chain.objects('filters').entries()) {
    const config = filter.object('typedConfig');
    if (config?.messageName() === managerType)
      managers.push(readManager(config, `${path}.filters[${index}].typedConfig`));
    else if (config?.messageName() === tcpProxyType) {
      const own = readTcpClusters(config);
      if (named === undefined) tcpClusters.push(...own);
      else if (!named.format.includes('%')) tcpClusters.push({ name: named.format, weight: 1 });
      else clusterBySni = { ...named, ...(named.keepsOwn && { otherwise: own }) };
    } else {
      const name = filter.string('name') || config?.messageName() || 'unnamed';
      setsLbMetadata ||= namesLbMetadata(config);
      named = readNamedCluster(name, config) ?? named;
      otherFilters.push({
        ...{ name, typeName: config?.messageName() ?? '', ...keepConfig(config) },
        clusters: readFilterClusters(config?.json),
      });
    }
  }
  return {
    name: chain.string('name') || (isDefault ? 'default' : ''),
    // The default chain is used if the matcher chooses none. With a matcher, the matches of the chains are not read.
    match:
      choice === undefined || isDefault
        ? readFilterChainMatch(chain.object('filterChainMatch'))
        : describeChoice(choice, chain.string('name')),
    ...(choice === undefined && !isDefault && readPort(chain.object('filterChainMatch'))),
    managers,
    tcpClusters,
    ...(clusterBySni && { clusterBySni }),
    otherFilters,
    ...(setsLbMetadata && { setsLbMetadata }),
    secrets: readSecretNames(chain.object('transportSocket')),
  };
}

/** The cluster that a filter names for the TCP proxy behind it. `keepsOwn`: not for a connection without a server name. */
function readNamedCluster(filter: string, config: FieldReader | undefined) {
  if (config?.messageName() === sniClusterType)
    return { filter, format: '%REQUESTED_SERVER_NAME%', keepsOwn: true };
  if (config?.messageName() !== setFilterStateType) return undefined;
  const value = config
    .objects('onNewConnection')
    .find((each) => each.string('objectKey') === 'envoy.tcp_proxy.cluster');
  const text = value?.object('formatString');
  const format = text?.object('textFormatSource')?.string('inlineString') || text?.string('textFormat');
  return format ? { filter, format, keepsOwn: value?.boolean('skipIfEmpty') === true } : undefined;
}

function readTcpClusters(proxy: FieldReader): WeightedCluster[] {
  const cluster = proxy.string('cluster');
  return cluster === ''
    ? readWeightedClusters(proxy)
    : [{ name: cluster, weight: 1, ...readCriteria(proxy) }];
}

function readManager(manager: FieldReader, path: string): HttpConnectionManager {
  return {
    path,
    routes: readRouteSource(manager),
    httpFilters: manager.objects('httpFilters').map(readHttpFilter),
  };
}

function readHttpFilter(filter: FieldReader): HttpFilter {
  const { config, ...own } = readExtension(filter);
  const discovery = filter.object('configDiscovery');
  const typedConfig = discovery?.object('defaultConfig')?.json;
  const isDisabled = filter.boolean('disabled');
  return {
    ...own,
    name: filter.string('name'),
    isDiscovered: discovery !== undefined,
    ...(typedConfig && { byDefault: readExtension(FieldReader.open({ typedConfig }, [])) }),
    isOptional: filter.boolean('isOptional'),
    isDisabled,
    ...(!isDisabled && config && { config }),
  };
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

function readPort(match: FieldReader | undefined): Pick<FilterChain, 'port'> {
  const port = match?.number('destinationPort') ?? 0;
  return port === 0 ? {} : { port };
}

function readFilterChainMatch(match: FieldReader | undefined): string {
  if (match === undefined) return '';
  const port = match.number('destinationPort');
  const ranges = (field: string, prefix = '') =>
    match
      .objects(field)
      .map((range) => `${prefix}${range.string('addressPrefix')}/${range.number('prefixLen') ?? 0}`)
      .join(' or ');
  const sourceType = match.enumName('sourceType', 'ANY');
  const sourcePorts = (match.json.sourcePorts as readonly unknown[] | undefined) ?? [];
  const words = [
    port === undefined ? '' : `port ${port}`,
    match.strings('serverNames').join(' or '),
    ranges('prefixRanges'),
    match.string('transportProtocol'),
    match.strings('applicationProtocols').join(' or '),
    ranges('directSourcePrefixRanges', 'from the peer '),
    sourceType === 'ANY' ? '' : `source type ${sourceType}`,
    ranges('sourcePrefixRanges', 'from '),
    sourcePorts.length === 0 ? '' : `source port ${sourcePorts.join(' or ')}`,
  ];
  return words.filter((word) => word !== '').join(', ');
}
