import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatBytes } from '@/lib/format/bytes';
import { joinAnswers } from '@/lib/views/recording/join-answers';
import { ConfigError } from '../../config-error';
import { AlreadyImported } from './import-errors';
import type { Imports } from './imports';

/** `name` includes the path within the given folder. */
interface Found {
  readonly file: string;
  readonly name: string;
  /** Files with more of the same client. */
  readonly others: readonly string[];
}

/** A larger file takes long enough to be announced. */
const announcedBytes = 1024 * 1024;

/**
 * Imports files and the files in folders, except hidden ones. The answers of one Envoy in a folder are one client. Each file that cannot be imported is reported in a line;
 * throws a ConfigError if none can.
 */
export async function openFiles(
  imports: Imports,
  given: readonly string[],
  report: (line: string) => void,
  announce: (line: string) => void,
): Promise<void> {
  const rejected: string[] = [];
  let opened = 0;
  for (const place of given) {
    try {
      for (const { file, name, others } of findFiles(place)) {
        try {
          const { size } = statSync(file);
          if (size > announcedBytes) announce(`reading ${name}, ${formatBytes(size)} ...`);
          await imports.addFile(file, name, others);
          opened += 1;
        } catch (cause) {
          if (cause instanceof AlreadyImported) {
            opened += 1;
            report(`${file}: ${cause.message}; the earlier import is shown`);
          } else rejected.push(`${file}: ${explain(cause)}`);
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
  if (!statSync(place).isDirectory()) return [{ file: place, name: path.basename(place), others: [] }];
  const found = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((way) => !way.split(path.sep).some((part) => part.startsWith('.')))
    .filter((way) => statSync(path.join(place, way), { throwIfNoEntry: false })?.isFile() === true);
  if (found.length === 0) throw new Error('expected a folder with files, got one without');
  const base = path.basename(path.resolve(place));
  const joined = joinAnswers(found, (way) => way.split(path.sep).join('/'));
  return joined.map(({ files: [first = '', ...rest], name }) => ({
    file: path.join(place, first),
    name: path.join(base, name ?? first),
    others: rest.map((way) => path.join(place, way)),
  }));
}

function explain(cause: unknown): string {
  const { code, message }: { code?: unknown; message?: unknown } = cause instanceof Error ? cause : {};
  if (code === 'ENOENT') return 'expected a file, and there is none';
  return typeof message === 'string' ? message : String(cause);
}
