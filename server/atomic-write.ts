import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Replaces a whole file: writes it beside the old one, syncs it to the disk, and renames it. After a crash, a full disk
 * or a power failure the file has either the former content or the new one. Throws the errors of Node.
 */
export function writeFileAtomically(file: string, content: string | Uint8Array): void {
  const next = nextTo(file);
  const descriptor = openSync(next, 'w', 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  putIntoPlace(next, file);
}

/** Creates a folder, and missing ones above it, for the owner only; all of them survive a power failure. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) syncFolder(path.dirname(first));
}

export function makeFolderIn(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  syncFolder(path.dirname(folder));
}

/** Renames a file so that the new name survives a power failure. Both names are in one folder. */
export function putIntoPlace(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(path.dirname(to));
}

function nextTo(file: string): string {
  return `${file}.new`;
}

/** What was renamed in the folder survives a power failure. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
