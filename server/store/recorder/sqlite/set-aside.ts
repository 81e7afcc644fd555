import { existsSync } from 'node:fs';
import path from 'node:path';
import type { EpochMs } from '@/lib/xds/units';
import { putIntoPlace } from '../../../atomic-write';

/** Renames a database and its write-ahead log to names with the time. Returns a sentence about it. */
export function setAside(file: string, reason: string, at: EpochMs): string {
  const suffix = `damaged-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const isThere = (name: string): boolean => existsSync(name);
  const renames = ['-wal', '-shm', '']
    .map((part) => [`${file}${part}`, `${file}.${suffix}${part}`] as const)
    .filter(([from]) => isThere(from));
  for (const [from, to] of renames) putIntoPlace(from, to);
  return `${file} cannot be read (${reason}) and is now ${path.basename(file)}.${suffix}; a new one was begun`;
}
