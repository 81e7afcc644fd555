import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '@/lib/format/message-of';
import { type CheckRunJson, checkRun } from '@/lib/views/server-checks/schema';
import { ConfigError } from '../config-error';
import { makeDataFolder, readDataFile, writeDataFile } from '../data-dir';
import { log } from '../logger';

const idPattern = /^[\w.-]{1,200}$/;

/** Runs of server checks, each in a file of its own in a folder of the data directory. */
export class SavedRuns {
  readonly #folder: string;

  constructor(dataDir: string, folder: 'server-checks' | 'server-check-permalinks' = 'server-checks') {
    this.#folder = path.join(dataDir, folder);
  }

  get count(): number {
    makeDataFolder(this.#folder);
    return readdirSync(this.#folder).length;
  }

  /** Throws ConfigError if the file cannot be read as a run. */
  find(id: string): CheckRunJson | undefined {
    if (!idPattern.test(id)) return undefined;
    const file = this.#fileOf(id);
    const bytes = readDataFile(file);
    if (bytes === undefined) return undefined;
    try {
      return checkRun.parse(JSON.parse(bytes.toString('utf8')));
    } catch (cause) {
      throw new ConfigError(`${file}: expected a run of server checks, got: ${messageOf(cause)}`);
    }
  }

  /** A file that cannot be read as a run is logged, and left as it is. Throws ConfigError if the folder is not readable. */
  read(): CheckRunJson[] {
    makeDataFolder(this.#folder);
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const file = path.join(this.#folder, name);
        try {
          return [checkRun.parse(JSON.parse(readDataFile(file)?.toString('utf8') ?? ''))];
        } catch (error) {
          const reason = messageOf(error).replace(/\s+/g, ' ').slice(0, 300);
          log('warn', 'server-checks', `${file}: expected a run of server checks, got: ${reason}`);
          return [];
        }
      });
  }

  /** Throws ConfigError. */
  write(run: CheckRunJson): void {
    makeDataFolder(this.#folder);
    writeDataFile(this.#fileOf(run.id), JSON.stringify(run));
  }

  remove(id: string): void {
    rmSync(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }
}
