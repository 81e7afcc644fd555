import { z } from 'zod';
import { readKeptLines, writeKeptLines } from '../kept-lines';
import { log } from '../log';
import type { KeptNodeChanges, NodeWatcher } from './node-watcher';

const head = z.object({ format: z.literal(1), seq: z.number().int().nonnegative() });
const line = z.object({
  clientId: z.string(),
  at: z.number(),
  sourceId: z.string(),
  changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
  others: z.number().int().nonnegative(),
  times: z.number().int().positive(),
});

/** Node ids whose node changed, kept over restarts. */
export class NodeChangesFile {
  constructor(private readonly file: string) {}

  /** A file that cannot be read is said, and what it held begins anew. */
  async read(): Promise<KeptNodeChanges> {
    let seq: number | undefined;
    const changed: KeptNodeChanges['changed'][number][] = [];
    try {
      await readKeptLines(this.file, (value) => {
        if (seq === undefined) seq = head.parse(value).seq;
        else changed.push(line.parse(value));
      });
    } catch (error) {
      log('error', 'fleet', `${this.file}: the record of node changes starts again: ${reasonOf(error)}`);
      return { seq: 0, changed: [] };
    }
    return { seq: seq ?? 0, changed };
  }

  /** What is new. That it cannot be written is said, and nothing else comes of it. */
  async save(watcher: Pick<NodeWatcher, 'takeUnsaved'>): Promise<void> {
    const kept = watcher.takeUnsaved();
    if (kept === undefined) return;
    try {
      await writeKeptLines(this.file, [{ format: 1, seq: kept.seq }, ...kept.changed]);
    } catch (error) {
      log('error', 'fleet', `${this.file}: node changes are not stored: ${reasonOf(error)}`);
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
