import path from 'node:path';
import * as z from 'zod';
import { sha256 } from './codec/sha256';
import { readDataFile, writeDataFile } from './data-dir';

/** Files that may change only by xdscope, and what a start without their content means. */
const checkedFiles: Readonly<Record<string, string>> = {
  'redaction.key': 'markers of equal secrets differ from those that were recorded before',
  'sources.json': 'sources that were added or paused in the browser may be missing',
  'imports.json': 'imported files may be missing',
  'removed-sources.json': 'clients of removed sources may be listed again',
};

/** The SHA-256 of each file; null: there is none. While a file is being written it has two states. */
const checksums = z.record(z.string(), z.array(z.string().nullable()));
type Checksums = z.infer<typeof checksums>;

function checksumsFile(dataDir: string): string {
  return path.join(dataDir, 'checksums.json');
}

/** Returns undefined if the file is damaged, and nothing is known of a data directory of an earlier version. */
function readChecksums(dataDir: string): Checksums | undefined {
  const content = readDataFile(checksumsFile(dataDir));
  if (content === undefined) return {};
  try {
    return checksums.parse(JSON.parse(content.toString('utf8')));
  } catch {
    return undefined;
  }
}

function stateOf(file: string): string | null {
  const content = readDataFile(file);
  return content === undefined ? null : sha256(content);
}

/** Replaces the whole file, and keeps its checksum. Throws ConfigError. */
export function writeCheckedFile(file: string, content: string | Uint8Array): void {
  const dataDir = path.dirname(file);
  const name = path.basename(file);
  const known = readChecksums(dataDir) ?? {};
  const next = sha256(content);
  const save = (states: Checksums[string]): void =>
    writeDataFile(checksumsFile(dataDir), JSON.stringify({ ...known, [name]: states }, null, 2));
  // The process may end at any time, so that both states are expected until the file is replaced.
  save([...(known[name] ?? [null]), next]);
  writeDataFile(file, content);
  save([next]);
}

/** Sentences on the files that something else changed or removed since xdscope wrote them. */
export function findChangedFiles(dataDir: string): string[] {
  const known = readChecksums(dataDir);
  if (known === undefined) {
    const file = checksumsFile(dataDir);
    return [
      `${file} is damaged, so changes of ${Object.keys(checkedFiles).join(', ')} cannot be found; it is written anew`,
    ];
  }
  return Object.entries(checkedFiles).flatMap(([name, effect]) => {
    const file = path.join(dataDir, name);
    const state = stateOf(file);
    const expected = known[name];
    if (expected === undefined || expected.includes(state)) return [];
    const was = state === null ? 'removed' : 'changed';
    return [
      `${file} was ${was} since xdscope wrote it, so ${effect}: put back a copy unless this was intended`,
    ];
  });
}

/** Expects the files as they are from now on. */
export function acceptFiles(dataDir: string): void {
  const states = Object.keys(checkedFiles).map(
    (name) => [name, [stateOf(path.join(dataDir, name))]] as const,
  );
  const found = JSON.stringify(Object.fromEntries(states.filter(([, [state]]) => state !== null)), null, 2);
  if (readDataFile(checksumsFile(dataDir))?.toString('utf8') !== found) {
    writeDataFile(checksumsFile(dataDir), found);
  }
}
