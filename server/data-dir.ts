import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ConfigError } from './config/config';

/** Makes it, for nobody else's eyes: configs are secrets. */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new ConfigError(
      `--data-dir: expected a directory that can be written, got ${JSON.stringify(dataDir)} (${reasonOf(cause)})`,
    );
  }
}

/** A small file of the data dir; undefined where it is not there yet. */
export function readDataFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file}: expected a file that can be read, got: ${reasonOf(cause)}`);
  }
}

/** Whole file at once, moved into place: a crash or a full disk in the middle leaves the old one, or none. Throws ConfigError. */
export function writeDataFile(file: string, content: string | Uint8Array): void {
  const next = `${file}.new`;
  try {
    writeFileSync(next, content, { mode: 0o600 });
    renameSync(next, file);
  } catch (cause) {
    throw new ConfigError(`${file}: expected a file that can be written, got: ${reasonOf(cause)}`);
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
