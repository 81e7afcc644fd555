import { createHash } from 'node:crypto';
import type { StreamChange } from '@/lib/api/stream';
import { NackIndex } from '@/lib/nacks/nack-index';
import type { ClientState } from '@/lib/observation/client-state';
import type { World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { isOfFiles } from '@/lib/view-model/fleet/is-of-files';
import type { EpochMs } from '@/lib/xds/units';
import { log } from '../logger';
import type { Clock } from '../observe';
import type { Recorder } from '../recorder/recorder';
import { inSlices } from '../threads/in-slices';

export interface NackStoreOptions {
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'readObservationTexts' | 'flushed'>;
  readonly publish: (change: StreamChange) => void;
  readonly world: World;
  /** Number of observations of the log that are read after a start. */
  readonly readBack?: number;
}

/** These kinds of observations report a NACK or its end. */
const kinds: readonly Observation['kind'][] = [
  'nack-sent',
  'client-config-changed',
  'ack-sent',
  'request-sent',
  'timer-expired',
  'cache-changed',
  'client-gone',
  'stream-opened',
  'stream-closed',
];
const wanted: ReadonlySet<string> = new Set(kinds);
const pageObservations = 500;
const gatherMs = 200;
/** Limits the observations that wait while the log is read; beyond it, they are read from the log as well. */
const maxWaiting = 2_000;
const idsReported = 500;

/** The groups of NACKs, from the log, which is read after the start, and from later observations. */
export class NackStore {
  readonly book = new NackIndex({
    idOf: (key) => createHash('sha256').update(key).digest('hex').slice(0, 16),
  });
  isRestoring = true;
  /** The time of the oldest observation that was read, or null for the beginning of the log. */
  since: EpochMs | null = null;
  #waiting: Recorded[] = [];
  /** The seq of the newest observation that waited and was dropped, so that it is read from the log. */
  #droppedSeq = 0;
  #touched = new Set<string>();
  /** Clients of removed files. */
  readonly #removed = new Set<string>();
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(private readonly options: NackStoreOptions) {}

  readonly observe = (observation: Recorded): void => {
    if (!wanted.has(observation.kind)) return;
    if (!this.isRestoring) {
      this.#fold(observation);
      return;
    }
    this.#waiting.push(observation);
    if (this.#waiting.length > maxWaiting) this.#droppedSeq = this.#waiting.shift()?.seq ?? this.#droppedSeq;
  };

  /** Reads the log up to the observations of this run. Does not fail: without the log, the groups begin now. */
  async restore(newestSeq: number): Promise<void> {
    const { readBack = 200_000, recorder, world, clock } = this.options;
    const start = Math.max(0, newestSeq - readBack);
    let readSeq = start;
    try {
      readSeq = await this.#readAfter(start, start > 0);
      while (this.#droppedSeq > readSeq && !this.#isClosed) {
        await recorder.flushed();
        readSeq = await this.#readAfter(readSeq, false);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'nacks', `NACKs in the log were not read: ${reason}`);
      this.since = clock.now();
    }
    for (const observation of this.#waiting) if (observation.seq > readSeq) this.#fold(observation);
    this.#waiting = [];
    this.isRestoring = false;
    await this.#adopt(world);
    this.#publish();
  }

  /** The client was evicted from the live state. Resolves when the groups are changed. */
  async forget({ clientId, seq, reports }: ClientState): Promise<void> {
    if (isOfFiles({ reports: [...reports.values()] })) {
      this.#removed.add(clientId);
      // A removed file may have thousands of clients, whose NACKs are searched for together.
      await Promise.resolve();
      this.#take(this.book.removeClients(this.#removed));
      this.#removed.clear();
    } else this.#take(this.book.forgetClient(clientId, this.options.clock.now(), seq));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Resolves to the newest seq that was read. */
  async #readAfter(start: number, isCut: boolean): Promise<number> {
    let afterSeq = start;
    while (!this.#isClosed) {
      const page = await this.options.recorder.readObservationTexts({
        afterSeq,
        kinds,
        limit: pageObservations,
        order: 'asc',
      });
      if (page.length === 0) break;
      await inSlices(page, ({ seq, at, clientId, json }) => {
        if (isCut) this.since ??= at;
        afterSeq = seq;
        if (!this.#mayMatter(clientId, json)) return;
        const observation = JSON.parse(json) as Observation;
        // The log keeps the observations of a removed file until retention.
        if (observation.vantage === 'dump' && !this.options.world.has(clientId ?? '')) return;
        this.#fold({ ...observation, seq });
      });
    }
    return afterSeq;
  }

  /**
   * Most observations are of clients that reject nothing and need not be parsed. A text without these words
   * has no such status; a text with them elsewhere is parsed in vain. The fold uses the parsed fields only.
   */
  #mayMatter(clientId: string | null, json: string): boolean {
    if (clientId !== null && this.book.hasOpen(clientId)) return true;
    return json.includes('"NACKED"') || json.includes('"ERROR"') || json.includes('"nack-sent"');
  }

  /** Adds NACKs of the checkpoint whose beginning the log no longer contains. */
  async #adopt(world: World): Promise<void> {
    for (const { clientId, node, scope, reports, seq } of world.values()) {
      for (const { sourceId, vantage, side, resources, goneAt } of reports.values()) {
        if (side !== 'client' || goneAt !== null) continue;
        const known = { clientId, node, scope, sourceId, vantage, side };
        await inSlices([...resources.values()], (row) => {
          if (row.clientStatus !== 'NACKED' || this.book.findOpen(clientId, row) !== undefined) return;
          const report = { ...known, kind: 'client-config-changed', changed: [row], removed: [] } as const;
          this.#fold({ ...report, at: row.changedAt, seq });
        });
      }
    }
  }

  #fold(observation: Recorded): void {
    this.#take(this.book.fold(observation));
  }

  #take(changed: Iterable<string>): void {
    for (const id of changed) this.#touched.add(id);
    this.#publishSoon();
  }

  #publishSoon(): void {
    if (this.isRestoring || this.#touched.size === 0) return;
    this.#timer ??= this.options.clock.setTimeout(() => this.#publish(), gatherMs);
  }

  #publish(): void {
    this.#timer = undefined;
    const ids = [...this.#touched].slice(0, idsReported);
    this.#touched = new Set();
    this.options.publish({ type: 'nacks', ids });
  }
}
