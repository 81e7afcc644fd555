import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Replaces a file as a whole: written beside it, on the disk, and only then renamed into place. After a crash, a full disk
 * or a power cut the file holds either the former content or the new one. Throws what Node throws.
 */
export function writeWholeFile(file: string, content: string | Uint8Array): void {
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

/** The same with content that comes in pieces; rejects with what Node throws. */
export async function streamWholeFile(file: string, content: Readable, packing: Transform): Promise<void> {
  const next = nextTo(file);
  const handle = await open(next, 'w', 0o600);
  try {
    await pipeline(content, packing, async (packed: AsyncIterable<Buffer>) => {
      for await (const part of packed) await handle.writeFile(part);
    });
    await handle.sync();
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  putIntoPlace(next, file);
}

/** Makes a folder for its owner alone, with those above it that are missing; all of them survive a power cut. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) fsyncFolder(path.dirname(first));
}

/** Makes one folder in another that is there. */
export function makeFolderIn(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  fsyncFolder(path.dirname(folder));
}

/** Renames a file, and the new name survives a power cut. Both names are in one folder. */
export function putIntoPlace(from: string, to: string): void {
  renameSync(from, to);
  fsyncFolder(path.dirname(to));
}

function nextTo(file: string): string {
  return `${file}.new`;
}

function fsyncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
