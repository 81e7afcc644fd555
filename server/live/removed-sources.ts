import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { log } from '../logger';
import type { KeptValue, StateEntry } from '../store/kept-value';
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

export const removedSourcesEntry: StateEntry<Content> = {
  key: 'removed-sources',
  schema: content,
  initial: { removed: [], removedProbes: [] },
};

/** The removed probe of each source, the newest first. */
type RemovedProbes = Iterable<readonly [string, RemovedProbe]>;

/** A source that was removed longer ago is not in the newest checkpoint. */
const removedKept = 1_000;

/**
 * Stores what a restart needs of removed sources: their ids, because the checkpoint and the log may still have their
 * clients, and the times at which the probes among them were active. A failure to store it is logged.
 */
export class RemovedSources {
  readonly #kept: KeptValue<Content>;
  #removed: readonly string[];
  /** The probes as of the start of this process. */
  readonly removedProbes: ReadonlyMap<string, RemovedProbe>;

  constructor(kept: KeptValue<Content>) {
    this.#kept = kept;
    const { removed, removedProbes } = kept.value;
    this.#removed = removed;
    this.removedProbes = new Map(removedProbes.map(({ sourceId, ...probe }) => [sourceId, probe]));
  }

  get removed(): readonly string[] {
    return this.#removed;
  }

  /** Adds a removed source. Resolves when it is stored. */
  add(sourceId: string, removedProbes: RemovedProbes): Promise<void> {
    this.#removed = [...this.#removed.filter((other) => other !== sourceId), sourceId].slice(-removedKept);
    return this.save(removedProbes);
  }

  /** Must be called when these sources exist again. Resolves when it is stored. */
  drop(sourceIds: readonly string[], removedProbes: RemovedProbes): Promise<void> {
    this.#removed = this.#removed.filter((sourceId) => !sourceIds.includes(sourceId));
    return this.save(removedProbes);
  }

  async save(removedProbes: RemovedProbes): Promise<void> {
    const probes = Array.from(removedProbes, ([sourceId, probe]) => ({ sourceId, ...probe }));
    const next: Content = { removed: [...this.#removed], removedProbes: probes };
    if (JSON.stringify(next) === JSON.stringify(this.#kept.value)) return;
    await this.#kept
      .change(() => next)
      .catch((error: unknown) => {
        log('error', 'sources', `removed sources are not stored: ${messageOf(error)}`);
      });
  }
}
