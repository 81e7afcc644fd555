import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { type InteropRun, interopRun } from '@/lib/interop/run-schema';
import { readJsonLines, writeJsonLines } from '../json-lines-file';
import { log } from '../logger';

const line = z.object({ version: z.literal(1), run: interopRun });

/** Keeps runs over a restart. A file that cannot be read or written is reported on stderr only. */
export class RunsFile {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'interop-runs.ndjson.gz');
  }

  async read(): Promise<readonly InteropRun[]> {
    const runs: InteropRun[] = [];
    try {
      await readJsonLines(this.#file, (value) => runs.push(line.parse(value).run));
    } catch (error) {
      log('warn', 'interop', `${this.#file} is not used: ${messageOf(error)}`);
    }
    return runs;
  }

  async save(runs: readonly InteropRun[]): Promise<void> {
    try {
      await writeJsonLines(
        this.#file,
        runs.map((run) => ({ version: 1, run })),
      );
    } catch (error) {
      log('warn', 'interop', `${this.#file} is not written: ${messageOf(error)}`);
    }
  }
}
