import { checkShape } from './bootstrap-error';
import {
  type BootstrapFile,
  bootstrapSchema,
  type CredentialsEntry,
  type ServerEntry,
  tlsSchema,
} from './bootstrap-schema';
import { isEnvoyBootstrap, toGrpcBootstrap } from './envoy-bootstrap';
import { checkBootstrapClient } from './read-bootstrap';
import { isUnixSocket } from './server-uri';

/**
 * Returns the fields that xdscope uses of a valid bootstrap that came by API, because only these are saved. File names and
 * unix sockets are omitted because they are ignored; other credentials, the configs of plugins and unknown fields are
 * omitted because they may contain secrets.
 */
export function bootstrapToKeep(json: unknown): Record<string, unknown> {
  const grpc = isEnvoyBootstrap(json) ? toGrpcBootstrap(json, () => undefined) : json;
  const file: BootstrapFile = checkShape(bootstrapSchema, grpc);
  return {
    ...file,
    xds_servers: serversToKeep(file.xds_servers),
    authorities: Object.fromEntries(
      Object.entries(file.authorities ?? {}).flatMap(([name, authority]) => {
        const servers = serversToKeep(authority.xds_servers ?? []);
        const isIgnored = servers.length === 0 && (authority.xds_servers ?? []).length > 0;
        return isIgnored ? [] : [[name, { ...authority, xds_servers: servers }]];
      }),
    ),
    certificate_providers: mapValues(file.certificate_providers ?? {}, ({ plugin_name }) => ({
      plugin_name,
    })),
    allowed_grpc_services: mapValues(file.allowed_grpc_services ?? {}, ({ channel_creds }) => ({
      channel_creds: channel_creds.map(({ type }) => ({ type })),
    })),
  };
}

/** Returns the part to keep of a bootstrap that describes the client alone, because the server is stated beside it. */
export function clientToKeep(json: unknown): Record<string, unknown> {
  const { node, transport } = checkBootstrapClient(json);
  const { id, cluster, metadata, locality } = node;
  const { region = '', zone = '', subZone = '' } = locality ?? {};
  return {
    node: { id, cluster, metadata, ...(locality && { locality: { region, zone, sub_zone: subZone } }) },
    ...(transport !== null && { xdscope_transport: transport }),
  };
}

function serversToKeep(servers: readonly ServerEntry[]): ServerEntry[] {
  return servers
    .filter(({ server_uri }) => !isUnixSocket(server_uri))
    .map(({ server_uri, channel_creds, server_features, xdscope_server_name }) => ({
      server_uri,
      server_features,
      ...(xdscope_server_name && { xdscope_server_name }),
      channel_creds: channel_creds.map(credentialsToKeep),
    }));
}

/** The CA of a bootstrap of Envoy is not a secret. */
function credentialsToKeep({ type, config }: CredentialsEntry): CredentialsEntry {
  const tls = type === 'tls' ? tlsSchema.safeParse(config).data : undefined;
  const ca = tls?.xdscope_ca_certificate;
  return { type, ...(ca && { config: { xdscope_ca_certificate: ca } }) };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
