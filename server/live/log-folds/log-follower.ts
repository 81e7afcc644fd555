import { messageOf } from '@/lib/format/message-of';
import { issueObservationKinds } from '@/lib/issues/issue-observations';
import type { World } from '@/lib/observation/fold';
import type { ClientConfigChanged, Observation, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';
import { inSlices } from '../../workers/threads/in-slices';

/** An index that is folded from the log, after a start as well as live. */
export interface LogFold {
  /**
   * Most observations change nothing and need not be parsed. `json` is their text; a text with a sign elsewhere than in a
   * status is parsed in vain.
   */
  mayMatter(clientId: string | null, json: string): boolean;
  fold(observation: Recorded): void;
  /** Folds a row of the checkpoint unless the index knows it: the log may no longer contain its beginning. */
  adopt(report: Recorded<ClientConfigChanged>, row: ResourceState): void;
  /** Called once: the log is read. `since` is the time of the oldest observation that was read, null for all of the log. */
  restored(since: EpochMs | null): void;
}

interface LogFollowerOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly recorder: Pick<Recorder, 'readObservationTexts' | 'flushed'>;
  readonly world: World;
  readonly folds: readonly LogFold[];
}

/** These kinds of observations change an index: NACKs are issues, too. */
const kinds: readonly Observation['kind'][] = [...issueObservationKinds, 'source-up', 'source-down'];
const wanted: ReadonlySet<string> = new Set(kinds);
/** Number of observations of the log that are read after a start. */
const readBack = 200_000;
const pageObservations = 500;
/** Limits the observations that wait while the log is read; beyond it, they are read from the log as well. */
const maxWaiting = 2_000;
/** The rows of the checkpoint that begin something. */
const notable: ReadonlySet<string> = new Set(['NACKED', 'DOES_NOT_EXIST', 'TIMEOUT', 'RECEIVED_ERROR']);

/** Folds indexes from the log, which is read once for all of them after the start, and from later observations. */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #isRestoring = true;
  #since: EpochMs | null = null;
  #waiting: Recorded[] = [];
  /** The seq of the newest observation that waited and was dropped, so that it is read from the log. */
  #droppedSeq = 0;
  #isClosed = false;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  readonly observe = (observation: Recorded): void => {
    if (!wanted.has(observation.kind)) return;
    if (!this.#isRestoring) {
      this.#fold(observation);
      return;
    }
    this.#waiting.push(observation);
    if (this.#waiting.length > maxWaiting) this.#droppedSeq = this.#waiting.shift()?.seq ?? this.#droppedSeq;
  };

  /** Reads the log up to the observations of this run. Does not fail: without the log, the indexes begin now. */
  async restore(newestSeq: number): Promise<void> {
    const { recorder, world, clock, folds } = this.#options;
    const start = Math.max(0, newestSeq - readBack);
    let readSeq = start;
    try {
      readSeq = await this.#readAfter(start, start > 0);
      while (this.#droppedSeq > readSeq && !this.#isClosed) {
        await recorder.flushed();
        readSeq = await this.#readAfter(readSeq, false);
      }
    } catch (error) {
      log('error', 'recorder', `NACKs and issues in the log were not read: ${messageOf(error)}`);
      this.#since = clock.now();
    }
    for (const observation of this.#waiting) if (observation.seq > readSeq) this.#fold(observation);
    this.#waiting = [];
    this.#isRestoring = false;
    await this.#adopt(world);
    for (const fold of folds) fold.restored(this.#since);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Resolves to the newest seq that was read. */
  async #readAfter(start: number, isCut: boolean): Promise<number> {
    let afterSeq = start;
    while (!this.#isClosed) {
      const page = await this.#options.recorder.readObservationTexts({
        afterSeq,
        kinds,
        limit: pageObservations,
        order: 'asc',
      });
      if (page.length === 0) break;
      await inSlices(page, ({ seq, at, clientId, json }) => {
        if (isCut) this.#since ??= at;
        afterSeq = seq;
        const folds = this.#options.folds.filter((fold) => fold.mayMatter(clientId, json));
        if (folds.length === 0) return;
        const observation = JSON.parse(json) as Observation;
        // The log keeps the observations of a removed file until retention.
        if (observation.vantage === 'dump' && !this.#options.world.has(clientId ?? '')) return;
        for (const fold of folds) fold.fold({ ...observation, seq });
      });
    }
    return afterSeq;
  }

  async #adopt(world: World): Promise<void> {
    for (const { clientId, node, scope, reports, seq } of world.values()) {
      for (const { sourceId, vantage, side, resources, goneAt } of reports.values()) {
        if (side !== 'client' || goneAt !== null) continue;
        const known = { clientId, node, scope, sourceId, vantage, side };
        await inSlices([...resources.values()], (row) => {
          if (!notable.has(row.clientStatus)) return;
          const report = { ...known, kind: 'client-config-changed', changed: [row], removed: [] } as const;
          for (const fold of this.#options.folds) fold.adopt({ ...report, at: row.changedAt, seq }, row);
        });
      }
    }
  }

  #fold(observation: Recorded): void {
    for (const fold of this.#options.folds) fold.fold(observation);
  }
}
