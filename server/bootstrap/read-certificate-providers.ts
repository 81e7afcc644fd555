import { BootstrapError, checkShape, formatPath } from './bootstrap-error';
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
  cwd: string | null,
): Map<string, CertificateProviderConfig> {
  return new Map(
    Object.entries(entries).map(([name, { plugin_name: pluginName, config }]) => {
      const where = `${formatPath('certificate_providers', [name])}.config`;
      const files = pluginName === 'file_watcher' ? readFileWatcher(config, where, cwd) : null;
      return [name, { pluginName, files }];
    }),
  );
}

function readFileWatcher(config: unknown, where: string, cwd: string | null): CertificateFiles {
  const files = readCertificateFiles(checkShape(certificateFilesSchema, config ?? {}, where), where, cwd);
  const hasAny = files.certificateFile ?? files.caCertificateFile ?? files.spiffeTrustBundleMapFile;
  if (hasAny === null) {
    throw new BootstrapError(
      where,
      'expected certificate_file with private_key_file, ca_certificate_file or spiffe_trust_bundle_map_file, got none',
    );
  }
  return files;
}
