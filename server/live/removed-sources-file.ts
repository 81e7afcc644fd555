import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { writeCheckedFile } from '../checked-files';
import { readDataFile } from '../data-dir';
import { log } from '../logger';
import type { RemovedProbe } from './live-state';

const formerProbe = z.object({
  sourceId: z.string(),
  clientId: z.string(),
  firstSeenAt: z.number(),
  lastChangedAt: z.number(),
  goneAt: z.number().nullable(),
});
const content = z.object({
  /** The newest is last. */
  removed: z.array(z.string()),
  /** The newest is first. */
  removedProbes: z.array(formerProbe),
});
type Content = z.infer<typeof content>;
const nothing: Content = { removed: [], removedProbes: [] };

/** The removed probe of each source, the newest first. */
type RemovedProbes = Iterable<readonly [string, RemovedProbe]>;

export const removedSourcesFile = 'removed-sources.json';
/** A source that was removed longer ago is not in the newest checkpoint. */
const removedKept = 1_000;

/**
 * Stores what a restart needs of removed sources: their ids, because the checkpoint and the log may still have their
 * clients, and the times at which the probes among them were active. A file that cannot be read or written is reported
 * on stderr only.
 */
export class RemovedSourcesFile {
  readonly #file: string;
  #removed: Set<string>;
  #kept = JSON.stringify(nothing);
  /** The probes as of the start of this process. */
  readonly removedProbes: ReadonlyMap<string, RemovedProbe>;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, removedSourcesFile);
    const { removed, removedProbes } = this.#read();
    this.#removed = new Set(removed);
    this.removedProbes = new Map(removedProbes.map(({ sourceId, ...probe }) => [sourceId, probe]));
  }

  get removed(): readonly string[] {
    return [...this.#removed];
  }

  /** Adds a removed source; the file is written when this returns. */
  add(sourceId: string, removedProbes: RemovedProbes): void {
    this.#removed.delete(sourceId);
    this.#removed = new Set([...this.#removed, sourceId].slice(-removedKept));
    this.save(removedProbes);
  }

  /** Must be called when these sources exist again. */
  drop(sourceIds: readonly string[], removedProbes: RemovedProbes): void {
    for (const sourceId of sourceIds) this.#removed.delete(sourceId);
    this.save(removedProbes);
  }

  save(removedProbes: RemovedProbes): void {
    const probes = Array.from(removedProbes, ([sourceId, probe]) => ({ sourceId, ...probe }));
    const next: Content = { removed: [...this.#removed], removedProbes: probes };
    const text = JSON.stringify(next);
    if (text === this.#kept) return;
    try {
      writeCheckedFile(this.#file, text);
      this.#kept = text;
    } catch (error) {
      log('error', 'sources', `removed sources are not kept: ${messageOf(error)}`);
    }
  }

  #read(): Content {
    try {
      const text = readDataFile(this.#file)?.toString();
      if (text === undefined) return nothing;
      const read = content.parse(JSON.parse(text));
      this.#kept = text;
      return read;
    } catch (error) {
      log(
        'error',
        'sources',
        `${this.#file}: removed sources are not known (${messageOf(error)}): put back a copy, or remove the file`,
      );
      return nothing;
    }
  }
}
