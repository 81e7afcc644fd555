import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import type { EpochMs } from '@/lib/xds/units';
import { readDataFile, writeDataFile } from '../data-dir';
import { log } from '../logger';

const content = z.object({
  subjects: z.array(z.object({ key: z.string(), until: z.number() })).default([]),
});
const mutesFile = 'muted-issues.json';
const mostSubjects = 50_000;

/**
 * The subjects of issues (clients, clusters, sources) that are muted until a time. An issue is muted while each of its subjects is: one
 * that joins opens it again, and those of a group stay muted when the group changes. Stored in the data directory; a file that cannot
 * be read is reported and replaced.
 */
export class Mutes {
  readonly #file: string;
  readonly #until: Map<string, EpochMs>;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, mutesFile);
    this.#until = this.#read();
  }

  /** The time until which all of the subjects are muted; undefined if one of them is not muted at this time. */
  find(subjects: readonly string[], at: EpochMs): EpochMs | undefined {
    let first = Number.POSITIVE_INFINITY;
    for (const key of subjects) {
      const until = this.#until.get(key);
      if (until === undefined || until <= at) return undefined;
      first = Math.min(first, until);
    }
    return first === Number.POSITIVE_INFINITY ? undefined : first;
  }

  /** The file is written when this returns. `until`: null unmutes. Throws if the file cannot be written. */
  set(subjects: readonly string[], until: EpochMs | null, now: EpochMs): void {
    for (const key of subjects) this.#until.delete(key);
    for (const [key, end] of this.#until) if (end <= now) this.#until.delete(key);
    if (until !== null) for (const key of subjects) this.#until.set(key, until);
    for (const key of this.#until.keys()) {
      if (this.#until.size <= mostSubjects) break;
      this.#until.delete(key);
    }
    const muted = [...this.#until].map(([key, end]) => ({ key, until: end }));
    writeDataFile(this.#file, `${JSON.stringify({ subjects: muted })}\n`);
  }

  #read(): Map<string, EpochMs> {
    try {
      const text = readDataFile(this.#file);
      if (text === undefined) return new Map();
      const { subjects } = content.parse(JSON.parse(text.toString()));
      return new Map(subjects.map(({ key, until }) => [key, until]));
    } catch (error) {
      log('error', 'issues', `${this.#file}: muted issues are not known: ${messageOf(error)}`);
      return new Map();
    }
  }
}
