import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import type { EpochMs } from '@/lib/xds/units';
import { readDataFile, writeDataFile } from '../data-dir';
import { log } from '../logger';

const content = z.object({ muted: z.array(z.object({ issueId: z.string(), until: z.number() })) });
const mutesFile = 'muted-issues.json';
const mostMutes = 1_000;

/** Issues that are muted until a time. Stored in the data directory; a file that cannot be read is reported and replaced. */
export class Mutes {
  readonly #file: string;
  readonly #until: Map<string, EpochMs>;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, mutesFile);
    this.#until = this.#read();
  }

  /** Returns undefined if the issue is not muted at this time. */
  find(issueId: string, at: EpochMs): EpochMs | undefined {
    const until = this.#until.get(issueId);
    return until === undefined || until <= at ? undefined : until;
  }

  /** The file is written when this returns. `until`: null unmutes. Throws if the file cannot be written. */
  set(issueId: string, until: EpochMs | null, now: EpochMs): void {
    this.#until.delete(issueId);
    for (const [id, end] of this.#until) if (end <= now) this.#until.delete(id);
    if (until !== null) this.#until.set(issueId, until);
    for (const id of this.#until.keys()) {
      if (this.#until.size <= mostMutes) break;
      this.#until.delete(id);
    }
    const muted = [...this.#until].map(([id, end]) => ({ issueId: id, until: end }));
    writeDataFile(this.#file, `${JSON.stringify({ muted })}\n`);
  }

  #read(): Map<string, EpochMs> {
    try {
      const text = readDataFile(this.#file);
      if (text === undefined) return new Map();
      const { muted } = content.parse(JSON.parse(text.toString()));
      return new Map(muted.map(({ issueId, until }) => [issueId, until]));
    } catch (error) {
      log('error', 'issues', `${this.#file}: muted issues are not known: ${messageOf(error)}`);
      return new Map();
    }
  }
}
