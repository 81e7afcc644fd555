import { BootstrapError, checkShape, formatPath } from './bootstrap-error';
import type { BootstrapFiles } from './bootstrap-files';
import { type CertificateProviderEntry, certificateFilesSchema } from './bootstrap-schema';
import { type CertificateFiles, readCertificateFiles } from './certificate-files';

/** What resources name as `instance_name` (rule T6). xdscope makes no data-plane connections: it only knows them. */
export interface CertificateProviderConfig {
  /** As in "file_watcher". Plugins of others are legal: a client that knows them uses them. */
  readonly pluginName: string;
  /** Null where the plugin is not file_watcher. */
  readonly files: CertificateFiles | null;
}

/** `certificate_providers` (gRFC A29). Throws BootstrapError. */
export function readCertificateProviders(
  entries: Readonly<Record<string, CertificateProviderEntry>>,
  from: BootstrapFiles,
): Map<string, CertificateProviderConfig> {
  return new Map(
    Object.entries(entries).map(([name, { plugin_name: pluginName, config }]) => {
      const where = `${formatPath('certificate_providers', [name])}.config`;
      const files = pluginName === 'file_watcher' ? readFileWatcher(config, where, from) : null;
      return [name, { pluginName, files }];
    }),
  );
}

function readFileWatcher(config: unknown, where: string, from: BootstrapFiles): CertificateFiles {
  const files = readCertificateFiles(checkShape(certificateFilesSchema, config ?? {}, where), where, from);
  const hasAny = files.certificateFile ?? files.caCertificateFile ?? files.spiffeTrustBundleMapFile;
  if (hasAny === null && 'cwd' in from) {
    throw new BootstrapError(
      where,
      'expected certificate_file with private_key_file, ca_certificate_file or spiffe_trust_bundle_map_file, got none',
    );
  }
  return files;
}
