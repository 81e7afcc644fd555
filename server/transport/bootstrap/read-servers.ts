import path from 'node:path';
import {
  type CallCredentialsConfig,
  type ChannelCredentialsConfig,
  insecure,
} from '../grpc/credentials-config';
import { isMetadataKey } from '../grpc/metadata-key';
import { BootstrapError, checkShape } from './bootstrap-error';
import {
  type CredentialsEntry,
  jwtTokenFileSchema,
  requestHeaderSchema,
  type ServerEntry,
  type TlsEntry,
  tlsSchema,
} from './bootstrap-schema';
import {
  type BootstrapFiles,
  metadataPlace,
  privateKeyPlace,
  readCertificateFiles,
  resolveFile,
} from './certificate-files';
import type { ServerConfig } from './server-config';
import { isUnixSocket, parseServerUri } from './server-uri';

/**
 * Reads a list of `xds_servers`, which is in the order of preference (gRFC A71), without unix sockets if files are ignored.
 * Throws a BootstrapError.
 */
export function readServers(
  entries: readonly ServerEntry[],
  where: string,
  from: BootstrapFiles,
): ServerConfig[] {
  return entries.flatMap((entry, index) => {
    const place = `${where}[${index}]`;
    if ('cwd' in from || !isUnixSocket(entry.server_uri)) return [readServer(entry, place, from)];
    from.ignored.push(`${place}.server_uri`);
    return [];
  });
}

function readServer(entry: ServerEntry, where: string, from: BootstrapFiles): ServerConfig {
  const parsed = parseServerUri(entry.server_uri);
  if (!parsed.ok) throw new BootstrapError(`${where}.server_uri`, parsed.reason);
  const credentials = readChannelCredentials(entry.channel_creds, `${where}.channel_creds`, from);
  return {
    target: parsed.target,
    credentials: withServerName(credentials, entry.xdscope_server_name),
    callCredentials: readCallCredentials(entry.call_creds ?? [], credentials, `${where}.call_creds`, from),
    features: new Set(entry.server_features ?? []),
  };
}

function withServerName(
  credentials: ChannelCredentialsConfig,
  serverName: string | null | undefined,
): ChannelCredentialsConfig {
  return credentials.kind === 'tls' && serverName ? { ...credentials, serverName } : credentials;
}

/** Credentials of gRPC's registries that xdscope does not support, because they need a cloud or other secrets. */
const unsupported: ReadonlySet<string> = new Set(['google_default', 'alts', 'xds', 'fake', 'composite']);

/** gRFC A27: the first supported credentials are used. */
function readChannelCredentials(
  entries: readonly CredentialsEntry[],
  where: string,
  from: BootstrapFiles,
): ChannelCredentialsConfig {
  for (const [index, { type, config }] of entries.entries()) {
    if (type === 'insecure') return insecure;
    if (type === 'tls') return readTls(config, `${where}[${index}].config`, from);
  }
  const reported = entries.map(({ type }) => {
    const shown = JSON.stringify(type.length > 60 ? `${type.slice(0, 60)}…` : type);
    return `${shown} (${unsupported.has(type) ? 'known, not supported' : 'unknown'})`;
  });
  throw new BootstrapError(where, `expected "insecure" or "tls" among the types, got ${reported.join(', ')}`);
}

function readTls(config: unknown, where: string, from: BootstrapFiles): ChannelCredentialsConfig {
  const entry = checkShape(tlsSchema, config ?? {}, where);
  const { spiffeTrustBundleMapFile, ...files } = readCertificateFiles(entry, where, from);
  if (spiffeTrustBundleMapFile !== null) {
    // Without an error, the system's roots would be trusted instead.
    throw new BootstrapError(
      `${where}.spiffe_trust_bundle_map_file`,
      'expected ca_certificate_file instead: SPIFFE bundle maps (gRFC A87) are known, not supported, got a file',
    );
  }
  const { xdscope_ca_certificate: ca } = entry;
  const identity = readIdentity(entry, where, from);
  return {
    ...{ kind: 'tls', ...files },
    ...(ca && { caCertificate: ca }),
    ...(identity && { identity }),
  };
}

/** Reads a certificate and key that stand in the bootstrap. A key is a secret, and is ignored where files are. */
function readIdentity(
  { xdscope_certificate: certificate, xdscope_private_key: privateKey }: TlsEntry,
  where: string,
  from: BootstrapFiles,
): { readonly certificate: string; readonly privateKey: string } | undefined {
  if (!certificate && !privateKey) return undefined;
  if ('ignored' in from) {
    from.ignored.push(`${privateKeyPlace}${where}`);
    return undefined;
  }
  if (certificate && privateKey) return { certificate, privateKey };
  const [missing, present] = certificate ? ['private_key', 'certificate'] : ['certificate', 'private_key'];
  throw new BootstrapError(`${where}.${missing}`, `expected it in PEM beside ${present}, got nothing`);
}

/** gRFC A97: all supported call credentials are used, and others are skipped. A token is sent only over TLS. */
function readCallCredentials(
  entries: readonly CredentialsEntry[],
  channel: ChannelCredentialsConfig,
  where: string,
  from: BootstrapFiles,
): CallCredentialsConfig[] {
  return entries.flatMap(({ type, config }, index): CallCredentialsConfig[] => {
    if (type === 'request_header') return readHeader(config, `${where}[${index}].config`, from);
    if (type !== 'jwt_token_file') return [];
    if (channel.kind === 'insecure') {
      throw new BootstrapError(
        `${where}[${index}]`,
        'expected "tls" channel_creds to send the token over, got "insecure"',
      );
    }
    const { jwt_token_file: name } = checkShape(jwtTokenFileSchema, config, `${where}[${index}].config`);
    const file = resolveFile(name, `${where}[${index}].config.jwt_token_file`, from);
    return file === null ? [] : [{ kind: 'jwt_token_file', file }];
  });
}

/** Envoy's metadata. It may be a secret, and is ignored where files are: only what is kept is used. */
function readHeader(config: unknown, where: string, from: BootstrapFiles): CallCredentialsConfig[] {
  const header = checkShape(requestHeaderSchema, config, where);
  const { name } = header;
  if (!isMetadataKey(name)) {
    throw new BootstrapError(
      `${where}.name`,
      `expected a metadata key of lower-case letters, digits, "_", "-" and ".", got ${JSON.stringify(name)}`,
    );
  }
  if ('ignored' in from) {
    from.ignored.push(`${metadataPlace}${JSON.stringify(name)}`);
    return [];
  }
  const content = 'value' in header ? header : { file: path.resolve(from.cwd, header.file) };
  return [{ kind: 'header', ...content, name }];
}
