import { BootstrapError } from './bootstrap-error';
import { type BootstrapFiles, resolveFile } from './bootstrap-files';
import type { CertificateFilesEntry } from './bootstrap-schema';

/** Files of certificates, and how often they are read anew. */
export interface CertificateFiles {
  readonly caCertificateFile: string | null;
  /** Both or neither. */
  readonly certificateFile: string | null;
  readonly privateKeyFile: string | null;
  readonly spiffeTrustBundleMapFile: string | null;
  readonly refreshIntervalMs: number;
}

const defaultRefreshIntervalMs = 600_000;
/** gRPC reads no file more often than once a second. */
const shortestIntervalMs = 1_000;
/** Timers know no longer time: 24.8 days. */
const longestIntervalMs = 2 ** 31 - 1;

/** gRFC A65: each file is optional; certificate and key come together or not at all. */
export function readCertificateFiles(entry: CertificateFilesEntry, where: string, from: BootstrapFiles) {
  const fileOf = (key: keyof Omit<CertificateFilesEntry, 'refresh_interval'>): string | null => {
    const said = entry[key];
    if (said === null || said === undefined || said === '') return null;
    return resolveFile(said, `${where}.${key}`, from);
  };
  const files: CertificateFiles = {
    caCertificateFile: fileOf('ca_certificate_file'),
    certificateFile: fileOf('certificate_file'),
    privateKeyFile: fileOf('private_key_file'),
    spiffeTrustBundleMapFile: fileOf('spiffe_trust_bundle_map_file'),
    refreshIntervalMs: readDurationMs(entry.refresh_interval, `${where}.refresh_interval`),
  };
  if (files.certificateFile !== null && files.privateKeyFile === null) {
    throw new BootstrapError(
      `${where}.private_key_file`,
      'expected a file beside certificate_file, got nothing',
    );
  }
  if (files.certificateFile === null && files.privateKeyFile !== null) {
    throw new BootstrapError(
      `${where}.certificate_file`,
      'expected a file beside private_key_file, got nothing',
    );
  }
  return files;
}

/** google.protobuf.Duration as JSON has it, "600s" or "0.5s". */
function readDurationMs(said: string | null | undefined, where: string): number {
  if (said === null || said === undefined) return defaultRefreshIntervalMs;
  const seconds = /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(said)?.[1];
  if (seconds === undefined || Number(seconds) === 0) {
    throw new BootstrapError(
      where,
      `expected a duration above zero as in "600s", got ${JSON.stringify(said)}`,
    );
  }
  return boundRefreshIntervalMs(Number(seconds) * 1_000);
}

export function boundRefreshIntervalMs(intervalMs: number): number {
  return Math.min(Math.max(intervalMs, shortestIntervalMs), longestIntervalMs);
}
