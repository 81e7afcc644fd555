import { existsSync } from 'node:fs';
import path from 'node:path';
import type { EpochMs } from '@/lib/xds/units';
import { putIntoPlace } from '../../whole-file';

/**
 * Renames a database with its write-ahead log, and whatever else is about its content, to names with the time in them:
 * SQLite still opens it under its new name. Returns in words what was done, for people.
 */
export function setAside(file: string, others: readonly string[], reason: string, at: EpochMs): string {
  const suffix = `damaged-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const isThere = (name: string): boolean => existsSync(name);
  const renames = [
    ...['-wal', '-shm', ''].map((part) => [`${file}${part}`, `${file}.${suffix}${part}`] as const),
    ...others.map((other) => [other, `${other}.${suffix}`] as const),
  ].filter(([from]) => isThere(from));
  for (const [from, to] of renames) putIntoPlace(from, to);
  return `${file} cannot be read (${reason}) and is now ${path.basename(file)}.${suffix}; a new one was begun`;
}
