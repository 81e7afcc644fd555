import { isJsonObject, type JsonObject } from '../codec/json/json-object';
import { BootstrapError } from './bootstrap-error';

/** How an Envoy subscribes, by its bootstrap. */
export const envoyTransports = ['ads', 'delta-ads', 'sotw', 'delta', 'rest'] as const;

/** Whether this is a bootstrap of Envoy, in camelCase or snake_case, and not one of gRPC. */
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

/**
 * Returns the gRPC bootstrap with Envoy's node and with the servers of its ADS cluster: their address, TLS, SNI and initial
 * metadata. Files and secrets in it are treated as those of a gRPC bootstrap. Throws a BootstrapError with the place.
 */
export function toGrpcBootstrap(json: JsonObject): JsonObject {
  const source = findSource(json);
  const { clusterName, place, api } = source;
  const clusters = listAt(objectAt(json, 'static_resources'), 'clusters').filter(isJsonObject);
  const cluster = clusters.find(({ name }) => name === clusterName);
  if (cluster === undefined) {
    throw new BootstrapError(place, `expected a static cluster ${JSON.stringify(clusterName)}, got none`);
  }
  const where = `static_resources.clusters ${JSON.stringify(clusterName)}`;
  const credentials = channelCredentials(cluster, where);
  const calls = initialMetadata(api).map(({ key, value }) => ({
    ...{ type: 'request_header', config: { name: key, value } },
  }));
  const servers = addresses(cluster, where).map((address) => ({
    ...{ server_uri: address, channel_creds: [credentials.channel], call_creds: calls },
    ...(credentials.serverName !== undefined && { xdscope_server_name: credentials.serverName }),
  }));
  if (servers.length === 0) {
    throw new BootstrapError(
      where,
      'expected a TCP address, got none: state the address of the management server beside the bootstrap',
    );
  }
  return { xds_servers: servers, node: nodeOfEnvoy(json), xdscope_transport: source.transport };
}

interface ConfigSource {
  readonly transport: (typeof envoyTransports)[number];
  readonly clusterName: string;
  readonly place: string;
  readonly api: JsonObject;
}

/** The source of ADS, else that of CDS or LDS. */
function findSource(json: JsonObject): ConfigSource {
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
    if (type === 'REST') {
      const [clusterName = ''] = listAt(api, 'cluster_names').map(String);
      return { clusterName, place, api, transport: 'rest' };
    }
    if (type !== 'GRPC' && type !== 'DELTA_GRPC') continue;
    const [service] = listAt(api, 'grpc_services').filter(isJsonObject);
    const envoyGrpc = objectAt(service ?? {}, 'envoy_grpc');
    const clusterName = at(envoyGrpc, 'cluster_name');
    if (typeof clusterName !== 'string') {
      throw new BootstrapError(`${place}.grpc_services`, 'expected envoy_grpc with a cluster_name, got none');
    }
    const isDelta = type === 'DELTA_GRPC';
    const transport = isAggregated ? (isDelta ? 'delta-ads' : 'ads') : isDelta ? 'delta' : 'sotw';
    return { clusterName, place, api: service ?? {}, transport };
  }
  throw new BootstrapError('dynamic_resources', 'expected ads_config, or an api_config_source, got neither');
}

function addresses(cluster: JsonObject, where: string): string[] {
  const assignment = objectAt(cluster, 'load_assignment');
  const endpoints = listAt(assignment, 'endpoints').filter(isJsonObject);
  return endpoints.flatMap((locality) =>
    listAt(locality, 'lb_endpoints')
      .filter(isJsonObject)
      .flatMap((each): string[] => {
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

interface Credentials {
  readonly channel: JsonObject;
  readonly serverName: string | undefined;
}

function channelCredentials(cluster: JsonObject, where: string): Credentials {
  const socket = objectAt(cluster, 'transport_socket');
  const tls = objectAt(socket, 'typed_config');
  const type = String(tls['@type'] ?? '');
  if (type === '' || /RawBuffer$/.test(type)) {
    return { channel: { type: 'insecure' }, serverName: undefined };
  }
  const place = `${where}: transport_socket`;
  if (!/\.UpstreamTlsContext$/.test(type)) {
    throw new BootstrapError(place, `expected UpstreamTlsContext or no transport socket, got another`);
  }
  const common = objectAt(tls, 'common_tls_context');
  for (const name of [
    'tls_certificate_sds_secret_configs',
    'validation_context_sds_secret_config',
    'tls_certificate_certificate_provider_instance',
  ]) {
    if (at(common, name) === undefined) continue;
    const instead = 'state the address and the TLS settings beside the bootstrap';
    throw new BootstrapError(`${place}.${name}`, `expected files, got another source: ${instead}`);
  }
  const [certificate = {}] = listAt(common, 'tls_certificates').filter(isJsonObject);
  const combined = objectAt(common, 'combined_validation_context');
  const direct = objectAt(common, 'validation_context');
  const validation = isEmpty(direct) ? objectAt(combined, 'default_validation_context') : direct;
  const sni = tls.sni;
  const config = {
    certificate_file: fileAt(certificate, 'certificate_chain', place),
    private_key_file: fileAt(certificate, 'private_key', place),
    ca_certificate_file: fileAt(validation, 'trusted_ca', place),
  };
  return {
    channel: { type: 'tls', config },
    serverName: typeof sni === 'string' && sni !== '' ? sni : undefined,
  };
}

/** Throws for a certificate or key that stands in the bootstrap itself, because xdscope reads and renews files alone. */
function fileAt(json: JsonObject, name: string, where: string): string | undefined {
  const source = objectAt(json, name);
  if (isEmpty(source)) return undefined;
  const { filename } = source;
  if (typeof filename === 'string') return filename;
  throw new BootstrapError(`${where}.${name}`, 'expected a filename, got another source');
}

function initialMetadata(service: JsonObject): { readonly key: string; readonly value: string }[] {
  return listAt(service, 'initial_metadata')
    .filter(isJsonObject)
    .flatMap(({ key, value }) =>
      typeof key === 'string' && typeof value === 'string' ? [{ key: key.toLowerCase(), value }] : [],
    );
}

function isEmpty(json: JsonObject): boolean {
  return Object.keys(json).length === 0;
}

/** The field by its name in snake_case or camelCase. */
function at(json: JsonObject, name: string): unknown {
  return json[name] ?? json[name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
}

function objectAt(json: JsonObject, name: string): JsonObject {
  const value = at(json, name);
  return isJsonObject(value) ? value : {};
}

function listAt(json: JsonObject, name: string): readonly unknown[] {
  const value = at(json, name);
  return Array.isArray(value) ? value : [];
}
