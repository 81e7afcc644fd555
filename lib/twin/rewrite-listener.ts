import { isJsonObject, type JsonObject } from '../diff/json-object';
import { formatAddress } from '../model/address';
import { FieldReader } from '../model/field-reader';
import { markRouteTable } from './mark-routes';
import { acceptedNames } from './rewrite-tls';
import type { Rewriting } from './rewriting';
import { loopback, type MutableJson, type TwinListener } from './twin';

/** The filters that end a filter chain. */
const loggingTypes =
  /\/envoy\.extensions\.filters\.network\.(?:http_connection_manager\.v3\.HttpConnectionManager|tcp_proxy\.v3\.TcpProxy)$/;

/** Fields of a listener about the sockets that it opens. */
const socketFields = [
  'additionalAddresses',
  'bindToPort',
  'useOriginalDst',
  'transparent',
  'freebind',
  'tcpFastOpenQueueLength',
  'connectionBalanceConfig',
  'internalListener',
  'deprecatedV1',
  'reusePort',
  'enableReusePort',
  'enableMptcp',
  'bypassOverloadManager',
  'fcdsConfig',
];

const proxyProtocol = {
  name: 'envoy.filters.listener.proxy_protocol',
  typedConfig: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
    allowRequestsWithoutProxyProtocol: true,
  },
};

/** Returns undefined if the twin does not have the listener. */
export function rewriteListener(
  json: JsonObject,
  rewriting: Rewriting,
): { readonly json: MutableJson; readonly listener?: TwinListener } | undefined {
  const { options } = rewriting.parts;
  const { address, ...rest } = json;
  if (isJsonObject(json.apiListener)) {
    if (options.client === 'grpc') {
      const listener = { name: String(json.name ?? ''), port: 0, address: '', callerNames: [] };
      return { json: keepListener(rest, rewriting), listener };
    }
    rewriting.note('', 'removed', 'Envoy does not use API listeners');
    return undefined;
  }
  if (options.client === 'grpc') {
    rewriting.note('', 'removed', 'a gRPC client uses API listeners only');
    return undefined;
  }
  if (json.udpListenerConfig !== undefined || isUdp(address)) {
    rewriting.note('', 'removed', 'the twin accepts TCP connections only');
    return undefined;
  }
  const copy: MutableJson = { ...rest };
  for (const field of socketFields)
    rewriting.drop(copy, field, '', 'each listener of the twin has one port of loopback');
  const kept = keepListener(copy, rewriting);
  const port = options.nextPort();
  const text = formatAddress(FieldReader.open(json, []).object('address'));
  rewriting.note(
    'address',
    `${text || 'no address'} replaced by ${loopback}`,
    'the twin is on loopback only',
  );
  rewriting.note(
    'listenerFilters',
    'a PROXY protocol filter added',
    'the sender of the twin states the source and destination addresses by which filter chains are chosen',
  );
  rewriting.note('accessLog', 'an access log added', 'it states the connections that match no filter chain');
  const filters = Array.isArray(kept.listenerFilters) ? kept.listenerFilters : [];
  return {
    json: {
      ...kept,
      address: { socketAddress: { address: loopback, portValue: port } },
      listenerFilters: [proxyProtocol, ...filters],
      accessLog: [unmatchedLog],
    },
    listener: { name: String(json.name ?? ''), port, address: text, callerNames: callerNamesOf(json) },
  };
}

function isUdp(address: unknown): boolean {
  const socket = isJsonObject(address) ? address.socketAddress : undefined;
  return isJsonObject(socket) && socket.protocol === 'UDP';
}

function keepListener(json: JsonObject, rewriting: Rewriting): MutableJson {
  // Routes are marked with their places in the config of the client, before anything is removed.
  const copy = structuredClone(json) as MutableJson;
  visitFilters(copy, '', ({ routeConfig }, path) => {
    if (isJsonObject(routeConfig)) markRouteTable(routeConfig, `${path}.routeConfig`, rewriting);
  });
  const chains = chainsOf(copy);
  if (chains.some((chain) => isJsonObject(chain) && chain.useProxyProto === true))
    rewriting.note(
      'filterChains',
      'useProxyProto removed',
      'the twin has a PROXY protocol filter of its own',
    );
  for (const chain of chains) if (isJsonObject(chain)) delete (chain as MutableJson).useProxyProto;
  const kept = rewriting.keep(copy, '') as MutableJson;
  visitFilters(kept, '', (filter, path) => completeFilter(filter, path, rewriting));
  return kept;
}

function completeFilter(filter: MutableJson, path: string, rewriting: Rewriting): void {
  if (rewriting.parts.options.client === 'grpc') return;
  const table = filter.routeConfig;
  if (isJsonObject(table)) {
    (table as MutableJson).validateClusters = false;
    rewriting.note(
      `${path}.routeConfig.validateClusters`,
      'set to false',
      'clusters of the bootstrap may be unknown to xdscope',
    );
  }
  if (filter.codecType === 'HTTP3') {
    filter.codecType = 'AUTO';
    rewriting.note(`${path}.codecType`, 'replaced by AUTO', 'the twin has no HTTP/3');
  }
  filter.accessLog = [accessLog];
  rewriting.note(`${path}.accessLog`, 'an access log added', 'the observation is read from it');
}

/** The fields of the access log of the twin, one JSON object a line. */
const accessLogFields = {
  route: '%ROUTE_NAME%',
  chosen: '%METADATA(ROUTE:xdscope.twin)%',
  cluster: '%UPSTREAM_CLUSTER_RAW%',
  host: '%UPSTREAM_HOST%',
  status: '%RESPONSE_CODE%',
  grpcStatus: '%GRPC_STATUS_NUMBER%',
  flags: '%RESPONSE_FLAGS%',
  details: '%RESPONSE_CODE_DETAILS%',
  filterChain: '%FILTER_CHAIN_NAME%',
  attempts: '%UPSTREAM_REQUEST_ATTEMPT_COUNT%',
} as const;

const accessLog = {
  name: 'envoy.access_loggers.stdout',
  typedConfig: {
    '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
    logFormat: { jsonFormat: { 'xdscope.twin': '1', ...accessLogFields } },
  },
};

/** Only the listener logs the end of a connection that no filter chain gets. */
const unmatchedLog = { ...accessLog, filter: { responseFlagFilter: { flags: ['NR'] } } };

function visitFilters(
  value: unknown,
  path: string,
  visit: (filter: MutableJson, path: string) => void,
): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visitFilters(item, `${path}[${index}]`, visit);
    });
    return;
  }
  if (!isJsonObject(value)) return;
  if (loggingTypes.test(String(value['@type']))) {
    visit(value as MutableJson, path);
    return;
  }
  for (const [key, member] of Object.entries(value))
    visitFilters(member, path === '' ? key : `${path}.${key}`, visit);
}

function chainsOf({ filterChains, defaultFilterChain }: JsonObject): unknown[] {
  return [...(Array.isArray(filterChains) ? filterChains : []), defaultFilterChain];
}

function callerNamesOf(listener: JsonObject): TwinListener['callerNames'] {
  return chainsOf(listener).flatMap((chain) =>
    isJsonObject(chain) ? acceptedNames(chain.transportSocket) : [],
  );
}
