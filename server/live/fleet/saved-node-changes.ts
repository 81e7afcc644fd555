import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { log } from '../../logger';
import { KeptList, type ListEntry } from '../../store/kept-list';
import type { StateStore } from '../../store/state';
import type { ChangedNode, KeptNodeChanges, NodeWatcher } from './node-watcher';

/** The clients whose node changed, for restarts. */
export const nodeChangesEntry: ListEntry<Pick<KeptNodeChanges, 'seq'>, ChangedNode> = {
  key: 'node-changes',
  head: z.object({ seq: z.number().int().nonnegative() }),
  line: z.object({
    clientId: z.string(),
    at: z.number(),
    sourceId: z.string(),
    changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
    others: z.number().int().nonnegative(),
    times: z.number().int().positive(),
  }),
};

export class SavedNodeChanges {
  readonly #list: KeptList<Pick<KeptNodeChanges, 'seq'>, ChangedNode>;

  constructor(state: StateStore) {
    this.#list = new KeptList(state, nodeChangesEntry);
  }

  async read(): Promise<KeptNodeChanges> {
    const kept = await this.#list.read();
    return { seq: kept?.head.seq ?? 0, changed: kept?.lines ?? [] };
  }

  /** Stores new changes. A failure is logged and not thrown. */
  async save(watcher: Pick<NodeWatcher, 'takeUnsaved'>): Promise<void> {
    const kept = watcher.takeUnsaved();
    if (kept === undefined) return;
    await this.#list.write({ seq: kept.seq }, kept.changed).catch((error: unknown) => {
      log('error', 'fleet', `node changes are not stored: ${messageOf(error)}`);
    });
  }
}
