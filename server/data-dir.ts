import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '@/lib/format/message-of';
import { makeFolder, makeFolderIn, writeFileAtomically } from './atomic-write';
import { ConfigError } from './config-error';

/** Creates the data dir for its owner only, because configs contain secrets. Throws ConfigError unless writable. */
export function prepareDataDir(dataDir: string): void {
  const probe = path.join(dataDir, 'write-probe');
  try {
    makeFolder(dataDir);
    writeFileAtomically(probe, 'Written at each start, to see whether files can be written here.\n');
    rmSync(probe);
  } catch (cause) {
    throw new ConfigError(
      `--data-dir: expected a directory that can be written, got ${JSON.stringify(dataDir)} (${messageOf(cause)})`,
    );
  }
}

/** Reads a small file of the data dir; undefined if it does not exist. */
export function readDataFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file}: expected a file that can be read, got: ${messageOf(cause)}`);
  }
}

/** Creates a folder in the data dir, but never the data dir, which may be deleted at run time. Throws ConfigError. */
export function makeDataFolder(folder: string): void {
  try {
    if (!existsSync(folder)) makeFolderIn(folder);
  } catch (cause) {
    throw new ConfigError(`${folder}: expected a folder that can be written, got: ${messageOf(cause)}`);
  }
}

/** Replaces the whole file. Throws ConfigError. */
export function writeDataFile(file: string, content: string | Uint8Array): void {
  try {
    writeFileAtomically(file, content);
  } catch (cause) {
    throw new ConfigError(`${file}: expected a file that can be written, got: ${messageOf(cause)}`);
  }
}
