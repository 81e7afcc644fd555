import path from 'node:path';
import { BootstrapError } from './bootstrap-error';
import type { CertificateFilesEntry } from './bootstrap-schema';

/**
 * The file names of a bootstrap are resolved against `cwd`. In a bootstrap that came by API they are ignored, because a
 * caller must not choose files of this machine; the fields that name files or unix sockets are added to `ignored`.
 */
export type BootstrapFiles = { readonly cwd: string } | { readonly ignored: string[] };

/** The beginnings of places in `ignored` that are Envoy's metadata or a private key, and no files or sockets. */
export const metadataPlace = 'initial_metadata ';
export const privateKeyPlace = 'private key of ';

export function isSecretPlace(place: string): boolean {
  return place.startsWith(metadataPlace) || place.startsWith(privateKeyPlace);
}

/** Returns null if files are ignored. `where` is the path of the field. */
export function resolveFile(name: string, where: string, files: BootstrapFiles): string | null {
  if ('cwd' in files) return path.resolve(files.cwd, name);
  files.ignored.push(where);
  return null;
}

/** The files of TLS credentials, which are read again every `refreshIntervalMs`. */
export interface CertificateFiles {
  readonly caCertificateFile: string | null;
  /** Both or neither. */
  readonly certificateFile: string | null;
  readonly privateKeyFile: string | null;
  readonly spiffeTrustBundleMapFile: string | null;
  readonly refreshIntervalMs: number;
}

const defaultRefreshIntervalMs = 600_000;
/** gRPC reads the files at most once a second. */
const shortestIntervalMs = 1_000;
/** The longest time of a timer: 24.8 days. */
const longestIntervalMs = 2 ** 31 - 1;

/** gRFC A65: each file is optional, but a certificate needs its key and vice versa. Throws a BootstrapError. */
export function readCertificateFiles(entry: CertificateFilesEntry, where: string, from: BootstrapFiles) {
  const fileOf = (key: keyof Omit<CertificateFilesEntry, 'refresh_interval'>): string | null => {
    const name = entry[key];
    if (name === null || name === undefined || name === '') return null;
    return resolveFile(name, `${where}.${key}`, from);
  };
  const files: CertificateFiles = {
    caCertificateFile: fileOf('ca_certificate_file'),
    certificateFile: fileOf('certificate_file'),
    privateKeyFile: fileOf('private_key_file'),
    spiffeTrustBundleMapFile: fileOf('spiffe_trust_bundle_map_file'),
    refreshIntervalMs: readDurationMs(entry.refresh_interval, `${where}.refresh_interval`),
  };
  if ((files.certificateFile === null) !== (files.privateKeyFile === null)) {
    const names = ['certificate_file', 'private_key_file'] as const;
    const [missing, present] = files.certificateFile === null ? names : names.toReversed();
    throw new BootstrapError(`${where}.${missing}`, `expected a file beside ${present}, got nothing`);
  }
  return files;
}

/** Parses a google.protobuf.Duration in JSON, such as "600s" or "0.5s". */
function readDurationMs(text: string | null | undefined, where: string): number {
  if (text === null || text === undefined) return defaultRefreshIntervalMs;
  const seconds = /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(text)?.[1];
  if (seconds === undefined || Number(seconds) === 0) {
    throw new BootstrapError(
      where,
      `expected a duration above zero as in "600s", got ${JSON.stringify(text)}`,
    );
  }
  return boundRefreshIntervalMs(Number(seconds) * 1_000);
}

export function boundRefreshIntervalMs(intervalMs: number): number {
  return Math.min(Math.max(intervalMs, shortestIntervalMs), longestIntervalMs);
}
