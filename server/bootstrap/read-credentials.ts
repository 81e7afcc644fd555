import {
  type CallCredentialsConfig,
  type ChannelCredentialsConfig,
  insecure,
} from '../grpc/credentials-config';
import { BootstrapError, checkShape } from './bootstrap-error';
import { type BootstrapFiles, resolveFile } from './bootstrap-files';
import { type CredentialsEntry, certificateFilesSchema, jwtTokenFileSchema } from './bootstrap-schema';
import { readCertificateFiles } from './certificate-files';

/** Names in gRPC's registries that xdscope has no credentials for: they need clouds, or secrets of their own. */
const unsupported: ReadonlySet<string> = new Set(['google_default', 'alts', 'xds', 'fake', 'composite']);

/** gRFC A27: the first supported ones win, whatever comes after them. Throws BootstrapError. */
export function readChannelCredentials(
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
  const entry = checkShape(certificateFilesSchema, config ?? {}, where);
  const { spiffeTrustBundleMapFile, ...files } = readCertificateFiles(entry, where, from);
  if (spiffeTrustBundleMapFile !== null) {
    // Ignored, it would have us trust the system's roots instead.
    throw new BootstrapError(
      `${where}.spiffe_trust_bundle_map_file`,
      'expected ca_certificate_file instead: SPIFFE bundle maps (gRFC A87) are known, not supported, got a file',
    );
  }
  return { kind: 'tls', ...files };
}

/** gRFC A97: all that are supported are used, others are passed over. A token goes over TLS or not at all. */
export function readCallCredentials(
  entries: readonly CredentialsEntry[],
  channel: ChannelCredentialsConfig,
  where: string,
  from: BootstrapFiles,
): CallCredentialsConfig[] {
  return entries.flatMap(({ type, config }, index): CallCredentialsConfig[] => {
    if (type !== 'jwt_token_file') return [];
    if (channel.kind === 'insecure') {
      throw new BootstrapError(
        `${where}[${index}]`,
        'expected "tls" channel_creds to send the token over, got "insecure"',
      );
    }
    const { jwt_token_file: said } = checkShape(jwtTokenFileSchema, config, `${where}[${index}].config`);
    const file = resolveFile(said, `${where}[${index}].config.jwt_token_file`, from);
    return file === null ? [] : [{ kind: 'jwt_token_file', file }];
  });
}
