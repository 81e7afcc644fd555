import { rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type ImportProblems, importProblem } from '@/lib/api/imports';
import { makeDataFolder, readDataFile, writeDataFile } from '../../data-dir';
import type { ProblemList } from './problem-list';

const savedProblems = z.object({ items: z.array(importProblem), total: z.number() });

/** The problems of imported files, stored in one file each in `import-problems` of the data dir. */
export class SavedProblems {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'import-problems');
  }

  write(importId: string, { kept, count }: ProblemList): void {
    if (count === 0) return;
    makeDataFolder(this.#folder);
    writeDataFile(this.#file(importId), JSON.stringify({ items: kept, total: count }));
  }

  /** Empty for a missing or foreign file. */
  read(importId: string): Pick<ImportProblems, 'items' | 'total'> {
    const content = readDataFile(this.#file(importId));
    const parsed = content === undefined ? undefined : savedProblems.safeParse(parse(content));
    return parsed?.success ? parsed.data : { items: [], total: 0 };
  }

  remove(importId: string): void {
    rmSync(this.#file(importId), { force: true });
  }

  #file(importId: string): string {
    return path.join(this.#folder, `${importId}.json`);
  }
}

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined; // The file is treated as foreign.
  }
}
