import { isJsonObject, type JsonObject } from '../../codec/json/json-object';
import { BootstrapError, stateBeside } from './bootstrap-error';
import { at, isEmpty, objectAt, objectsAt, textAt } from './envoy-json';
import { createSecretFinder, type FindSecret, type ReadDocument } from './envoy-secrets';
import { type EnvoySecurity, plainText, readTransportSocket, tlsChannel } from './envoy-tls';

/** The ways in which an Envoy can subscribe, by its bootstrap. */
export const envoyTransports = ['ads', 'delta-ads', 'sotw', 'delta', 'rest'] as const;
export type EnvoyTransport = (typeof envoyTransports)[number];

/** True if the JSON is a bootstrap of Envoy, in camelCase or snake_case, and not one of gRPC. */
export function isEnvoyBootstrap(json: unknown): json is JsonObject {
  return (
    isJsonObject(json) &&
    json.xds_servers === undefined &&
    (isJsonObject(at(json, 'dynamic_resources')) || isJsonObject(at(json, 'static_resources')))
  );
}

/** The fields of Envoy's node that a gRPC bootstrap has as well. */
export function nodeOfEnvoy(json: JsonObject): JsonObject {
  const { id, cluster, metadata, locality } = objectAt(json, 'node');
  const { region, zone } = isJsonObject(locality) ? locality : {};
  const subZone = isJsonObject(locality) ? at(locality, 'sub_zone') : undefined;
  return { id, cluster, metadata, ...(locality ? { locality: { region, zone, sub_zone: subZone } } : {}) };
}

/** Returns null if the bootstrap states no management server. */
export function transportOfEnvoy(json: JsonObject): EnvoyTransport | null {
  return findSource(json)?.transport ?? null;
}

/**
 * Returns the gRPC bootstrap with Envoy's node and with the servers of its ADS service: their addresses, TLS, name in the
 * certificate and metadata. Files and secrets in it are treated as those of a gRPC bootstrap. Throws a BootstrapError with the
 * place.
 */
export function toGrpcBootstrap(json: JsonObject, readDocument: ReadDocument): JsonObject {
  const source = findSource(json);
  if (source === undefined) {
    throw new BootstrapError(
      'dynamic_resources',
      'expected ads_config, or an api_config_source, got neither',
    );
  }
  const { addresses, security, calls } = readService(json, source, createSecretFinder(json, readDocument));
  const servers = addresses.map((address) => ({
    ...{ server_uri: address, channel_creds: [security.channel], call_creds: calls },
    ...(security.serverName !== undefined && { xdscope_server_name: security.serverName }),
  }));
  return { xds_servers: servers, node: nodeOfEnvoy(json), xdscope_transport: source.transport };
}

interface ConfigSource {
  readonly transport: EnvoyTransport;
  readonly place: string;
  /** An ApiConfigSource. */
  readonly api: JsonObject;
}

/** The source of ADS, else that of CDS or LDS. */
function findSource(json: JsonObject): ConfigSource | undefined {
  const dynamic = objectAt(json, 'dynamic_resources');
  const candidates = [
    ['ads_config', objectAt(dynamic, 'ads_config'), true],
    ...(['cds_config', 'lds_config'] as const).map(
      (name) => [name, objectAt(objectAt(dynamic, name), 'api_config_source'), false] as const,
    ),
  ] as const;
  for (const [name, api, isAggregated] of candidates) {
    const type = String(at(api, 'api_type') ?? '').replace(/^AGGREGATED_/, '');
    const place = `dynamic_resources.${name}`;
    if (type === 'REST') return { place, api, transport: 'rest' };
    if (type !== 'GRPC' && type !== 'DELTA_GRPC') continue;
    const isDelta = type === 'DELTA_GRPC';
    const transport = isAggregated ? (isDelta ? 'delta-ads' : 'ads') : isDelta ? 'delta' : 'sotw';
    return { place, api, transport };
  }
  return undefined;
}

function readService(
  json: JsonObject,
  { transport, place, api }: ConfigSource,
  find: FindSecret,
): EnvoyService {
  const [service = {}] = transport === 'rest' ? [api] : objectsAt(api, 'grpc_services');
  const metadata = initialMetadata(service);
  const google = objectAt(service, 'google_grpc');
  if (textAt(google, 'target_uri') !== undefined) {
    const read = readGoogleGrpc(google, `${place}.grpc_services: google_grpc`);
    return { ...read, calls: [...read.calls, ...metadata] };
  }
  const [named] = listAt(api, 'cluster_names').map(String);
  const clusterName = transport === 'rest' ? named : textAt(objectAt(service, 'envoy_grpc'), 'cluster_name');
  if (clusterName === undefined) {
    const expected = transport === 'rest' ? 'cluster_names' : 'envoy_grpc or google_grpc';
    throw new BootstrapError(`${place}.grpc_services`, `expected ${expected} with a server, got none`);
  }
  const clusters = objectsAt(objectAt(json, 'static_resources'), 'clusters');
  const cluster = clusters.find(({ name }) => name === clusterName);
  if (cluster === undefined) {
    throw new BootstrapError(place, `expected a static cluster ${JSON.stringify(clusterName)}, got none`);
  }
  const where = `static_resources.clusters ${JSON.stringify(clusterName)}`;
  const security = readTransportSocket(cluster, where, find);
  const addresses = addressesOf(cluster, where);
  if (addresses.length > 0) return { addresses, security, calls: metadata };
  throw new BootstrapError(
    where,
    'expected a TCP address, got none: state the address of the management server beside the bootstrap',
  );
}

function addressesOf(cluster: JsonObject, where: string): string[] {
  const endpoints = objectsAt(objectAt(cluster, 'load_assignment'), 'endpoints');
  return endpoints.flatMap((locality) =>
    objectsAt(locality, 'lb_endpoints').flatMap((each): string[] => {
      const socket = objectAt(objectAt(objectAt(each, 'endpoint'), 'address'), 'socket_address');
      const { address } = socket;
      const port = at(socket, 'port_value');
      if (typeof address !== 'string') return [];
      if (typeof port !== 'number') {
        throw new BootstrapError(`${where}: socket_address.port_value`, 'expected a number, got none');
      }
      return [`${address.includes(':') ? `[${address}]` : address}:${port}`];
    }),
  );
}

/** Returns the initial metadata as entries of `call_creds`. */
function initialMetadata(service: JsonObject): readonly JsonObject[] {
  return objectsAt(service, 'initial_metadata').flatMap(({ key, value }) =>
    typeof key === 'string' && typeof value === 'string'
      ? [{ type: 'request_header', config: { name: key.toLowerCase(), value } }]
      : [],
  );
}

function listAt(json: JsonObject, name: string): readonly unknown[] {
  const value = at(json, name);
  return Array.isArray(value) ? value : [];
}

/** The management server of an Envoy, in the form of a gRPC bootstrap. */
interface EnvoyService {
  readonly addresses: readonly string[];
  readonly security: EnvoySecurity;
  /** Entries of `call_creds`. */
  readonly calls: readonly JsonObject[];
}

/** Reads a GoogleGrpc, the service of Envoys whose gRPC client is C-core (Kuma). Throws a BootstrapError. */
function readGoogleGrpc(google: JsonObject, where: string): EnvoyService {
  const args = objectAt(objectAt(google, 'channel_args'), 'args');
  const override = objectAt(args, 'grpc.ssl_target_name_override');
  return {
    addresses: [textAt(google, 'target_uri') ?? ''],
    security: {
      channel: channelOf(objectAt(google, 'channel_credentials'), `${where}.channel_credentials`),
      serverName: textAt(override, 'string_value'),
    },
    calls: objectsAt(google, 'call_credentials').flatMap((each) => callOf(each, `${where}.call_credentials`)),
  };
}

function channelOf(credentials: JsonObject, where: string): JsonObject {
  if (at(credentials, 'ssl_credentials') !== undefined) {
    const ssl = objectAt(credentials, 'ssl_credentials');
    const sources = {
      chain: objectAt(ssl, 'cert_chain'),
      key: objectAt(ssl, 'private_key'),
      ca: objectAt(ssl, 'root_certs'),
    };
    return tlsChannel(sources, `${where}.ssl_credentials`);
  }
  if (at(credentials, 'google_default') === undefined) return plainText.channel;
  throw new BootstrapError(
    `${where}.google_default`,
    `expected ssl_credentials, got the default credentials of Google Cloud, which are not supported: ${stateBeside}`,
  );
}

/** Call credentials that need a cloud are skipped, as gRPC skips those that it does not support. */
function callOf(credentials: JsonObject, where: string): readonly JsonObject[] {
  const token = textAt(credentials, 'access_token');
  if (token !== undefined) return [headerOf('authorization', { value: `Bearer ${token}` })];
  const plugin = objectAt(objectAt(credentials, 'from_plugin'), 'typed_config');
  const secret = objectAt(plugin, 'secret_data');
  if (isEmpty(secret)) return [];
  const prefix = textAt(plugin, 'header_prefix') ?? '';
  const name = textAt(plugin, 'header_key') ?? 'authorization';
  const inline = textAt(secret, 'inline_string');
  if (inline !== undefined) return [headerOf(name, { value: `${prefix}${inline}` })];
  const file = textAt(secret, 'filename');
  if (file !== undefined && prefix === '') return [headerOf(name, { file })];
  throw new BootstrapError(
    `${where}.from_plugin`,
    `expected secret_data with a filename and no header_prefix, got ${file === undefined ? 'another source' : 'a header_prefix'}`,
  );
}

function headerOf(name: string, content: { readonly value: string } | { readonly file: string }): JsonObject {
  return { type: 'request_header', config: { name: name.toLowerCase(), ...content } };
}
