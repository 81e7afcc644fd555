import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { assertVersion } from '../assert-version';
import { ConfigError } from '../config-error';
import { readJsonLines, writeJsonLines } from '../json-lines-file';
import { log } from '../logger';
import type { KeptNodeChanges, NodeWatcher } from './node-watcher';

const version = 1;
const head = z.object({ seq: z.number().int().nonnegative() });
const line = z.object({
  clientId: z.string(),
  at: z.number(),
  sourceId: z.string(),
  changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
  others: z.number().int().nonnegative(),
  times: z.number().int().positive(),
});

/** Stores the clients whose node changed, for restarts. */
export class NodeChangesFile {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** A damaged file is reported and replaced. Throws ConfigError for another version. */
  async read(): Promise<KeptNodeChanges> {
    let seq: number | undefined;
    const changed: KeptNodeChanges['changed'][number][] = [];
    try {
      await readJsonLines(this.#file, (value) => {
        if (seq === undefined) {
          assertVersion(this.#file, version, z.looseObject({}).parse(value));
          seq = head.parse(value).seq;
        } else changed.push(line.parse(value));
      });
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      log('error', 'fleet', `${this.#file}: the record of node changes starts again: ${messageOf(error)}`);
      return { seq: 0, changed: [] };
    }
    return { seq: seq ?? 0, changed };
  }

  /** Writes new changes. A failure is logged and not thrown. */
  async save(watcher: Pick<NodeWatcher, 'takeUnsaved'>): Promise<void> {
    const kept = watcher.takeUnsaved();
    if (kept === undefined) return;
    try {
      await writeJsonLines(this.#file, [{ version, seq: kept.seq }, ...kept.changed]);
    } catch (error) {
      log('error', 'fleet', `${this.#file}: node changes are not stored: ${messageOf(error)}`);
    }
  }
}
