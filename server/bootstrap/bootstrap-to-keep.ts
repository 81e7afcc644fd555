import { checkShape } from './bootstrap-error';
import {
  type BootstrapFile,
  bootstrapSchema,
  type CertificateFilesEntry,
  type CredentialsEntry,
  certificateFilesSchema,
  type ServerEntry,
} from './bootstrap-schema';

/**
 * Of a bootstrap that is good, what xdscope uses: that alone is written down. Credentials of other kinds, plugins'
 * configs and unknown fields stay out, since there may be secrets in them.
 */
export function bootstrapToKeep(json: unknown): Record<string, unknown> {
  const file: BootstrapFile = checkShape(bootstrapSchema, json);
  return {
    ...file,
    xds_servers: file.xds_servers.map(serverToKeep),
    authorities: mapValues(file.authorities ?? {}, (authority) => ({
      ...authority,
      xds_servers: authority.xds_servers?.map(serverToKeep),
    })),
    certificate_providers: mapValues(file.certificate_providers ?? {}, ({ plugin_name, config }) => ({
      plugin_name,
      ...(plugin_name === 'file_watcher' ? { config: filesToKeep(config) } : {}),
    })),
    allowed_grpc_services: mapValues(file.allowed_grpc_services ?? {}, ({ channel_creds }) => ({
      channel_creds: channel_creds.map(({ type }) => ({ type })),
    })),
  };
}

function serverToKeep({ server_uri, channel_creds, server_features }: ServerEntry): ServerEntry {
  return { server_uri, server_features, channel_creds: channel_creds.map(credentialsToKeep) };
}

function credentialsToKeep({ type, config }: CredentialsEntry): CredentialsEntry {
  return type === 'tls' ? { type, config: filesToKeep(config) } : { type };
}

function filesToKeep(config: unknown): CertificateFilesEntry {
  return checkShape(certificateFilesSchema, config ?? {});
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
