import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../config-error';
import type { Imports } from './imports';

/** `name` includes the path within the given folder. */
interface Found {
  readonly file: string;
  readonly name: string;
}

/**
 * Imports files and the files in folders, except hidden ones. Each file that cannot be imported is reported in a line;
 * throws a ConfigError if none can.
 */
export async function openFiles(
  imports: Imports,
  given: readonly string[],
  report: (line: string) => void,
): Promise<void> {
  const rejected: string[] = [];
  let opened = 0;
  for (const place of given) {
    try {
      for (const { file, name } of findFiles(place)) {
        try {
          await imports.addFile(file, name);
          opened += 1;
        } catch (cause) {
          rejected.push(`${file}: ${explain(cause)}`);
        }
      }
    } catch (cause) {
      rejected.push(`${place}: ${explain(cause)}`);
    }
  }
  if (given.length > 0 && opened === 0) throw new ConfigError(rejected.join('\n'));
  for (const line of rejected) report(line);
}

function findFiles(place: string): Found[] {
  if (!statSync(place).isDirectory()) return [{ file: place, name: path.basename(place) }];
  const found = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((way) => !way.split(path.sep).some((part) => part.startsWith('.')))
    .map((way) => ({ file: path.join(place, way), name: path.join(path.basename(path.resolve(place)), way) }))
    .filter(({ file }) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  if (found.length === 0) throw new Error('expected a folder with files, got one without');
  return found;
}

function explain(cause: unknown): string {
  const { code, message }: { code?: unknown; message?: unknown } = cause instanceof Error ? cause : {};
  if (code === 'ENOENT') return 'expected a file, and there is none';
  return typeof message === 'string' ? message : String(cause);
}
