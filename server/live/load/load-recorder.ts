import path from 'node:path';
import type { LoadScope, LoadSeries } from '@/lib/load/load-series';
import type { LoadReported, Observation } from '@/lib/observation/observation';
import type { Clock } from '@/server/observe';
import type { Compute } from '../../workers/compute';
import { LoadBatcher } from './load-batcher';
import type { LoadJobs } from './load-jobs';
import { LoadReader, type LoadReaderParts, type LoadStats, openLoadQueue } from './load-reader';
import { defaultLoadRetention, type LoadRetention } from './load-retention';
import type { LoadBatch } from './load-store';

export interface LoadRecorderOptions {
  /** Must be locked by the recorder. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly retention?: LoadRetention;
  /** The threads of this process; by default threads of its own. */
  readonly compute?: Compute;
}

/** Reports are missed while more bytes than this are waiting to be written. */
const maxWaitingBytes = 64 * 1024 * 1024;
const writeEveryMs = 1_000;
const retryMs = 2_000;
const tidyEveryMs = 10_000;

/**
 * Records every number of every load report in a file beside the log. Reports are encoded here; a worker thread writes,
 * rolls up and reads. Reads return only what is on the disk.
 */
export class LoadRecorder extends LoadReader {
  readonly #options: LoadRecorderOptions;
  readonly #batcher: LoadBatcher;
  readonly #slots = new StreamSlots();
  /** Batches that are not acknowledged yet, oldest first. */
  #waiting: LoadBatch[] = [];
  /** The oldest batch was sent and may be on the disk, so it must not change. */
  #isOldestTried = false;
  #waitingBytes = 0;
  #nextRawId: number;
  #writing: Promise<void> | null = null;
  #timer: { cancel(): void } | null = null;
  #tidyTimer: { cancel(): void } | null = null;
  #isClosed = false;

  private constructor(
    options: LoadRecorderOptions,
    reader: LoadReaderParts,
    { nextRawId, series }: LoadJobs['open']['output'],
  ) {
    super(reader);
    this.#options = options;
    this.#batcher = new LoadBatcher(series);
    this.#nextRawId = nextRawId;
    this.#scheduleTidy();
  }

  /** Throws a RecorderError with a message of one line if the file cannot be used. */
  static async open(options: LoadRecorderOptions): Promise<LoadRecorder> {
    const { dataDir, compute } = options;
    const reader = openLoadQueue({ file: path.join(path.resolve(dataDir), 'load.sqlite') }, compute);
    const opened = await reader.queue.run('open', null).catch(async (error: unknown) => {
      await reader.queue.close();
      throw error;
    });
    return new LoadRecorder(options, reader, opened);
  }

  override get stats(): LoadStats {
    return { ...super.stats, leftOut: this.#batcher.leftOut };
  }

  /** Records load reports, frees the numbers of closed streams, and ignores other observations. It never waits. */
  observe(observation: Observation): void {
    if (observation.kind === 'load-reported') this.#take(observation);
    else if (observation.kind === 'stream-closed') {
      const { sourceId, clientId, streamId } = observation;
      this.#slots.release(sourceId, clientId, streamId);
    }
  }

  #take({ at, sourceId, vantage, clientId, streamId, clusters }: LoadReported): void {
    this.counted.reports += clusters.length;
    if (this.#waitingBytes > maxWaitingBytes) {
      this.counted.missed += clusters.length;
      return;
    }
    const stream = this.#slots.slotOf(sourceId, clientId, streamId);
    for (const cluster of clusters) {
      const { clusterName, clusterServiceName, intervalMs } = cluster;
      const scope: LoadScope = {
        ...{ sourceId, vantage, clientId, clusterName, clusterServiceName, stream },
        isTimed: intervalMs !== null,
      };
      this.#batcher.observe(scope, cluster, at);
    }
    this.#writeAfter(writeEveryMs);
  }

  /**
   * Adds an excerpt of another recorder (LoadExcerpt.values), and resolves when it is on the disk. Throws a
   * RangeError if the bytes are not an excerpt.
   */
  async add(values: Uint8Array, findSeries: (id: number) => LoadSeries | undefined): Promise<void> {
    this.#batcher.add(values, findSeries);
    await this.flushed();
  }

  /** A failed write is reported in `stats.problem` and repeated. */
  #writeAfter(delayMs: number): void {
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = null;
      void this.flushed().catch(() => undefined);
    }, delayMs);
  }

  /** Resolves when all observations so far are on the disk; rejects if they cannot be written. */
  override async flushed(): Promise<void> {
    this.#seal();
    while (this.#waiting.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = null;
      });
      await this.#writing;
    }
  }

  #seal(): void {
    const batch = this.#batcher.take();
    if (batch === undefined) return;
    this.#waiting.push({ firstId: this.#nextRawId, ...batch });
    this.#nextRawId += batch.blocks.length;
    this.#waitingBytes += bytesOf(batch.blocks);
  }

  /** Joins all waiting batches, because one write is faster than several. */
  #nextBatch(): LoadBatch | undefined {
    const [oldest, ...later] = this.#waiting;
    if (oldest === undefined || this.#isOldestTried || later.length === 0) return oldest;
    const all = {
      firstId: oldest.firstId,
      series: this.#waiting.flatMap(({ series }) => series),
      blocks: this.#waiting.flatMap(({ blocks }) => blocks),
    };
    this.#waiting = [all];
    return all;
  }

  async #write(): Promise<void> {
    const batch = this.#nextBatch();
    if (batch === undefined) return;
    this.#isOldestTried = true;
    try {
      await this.queue.run('append', batch, { priority: 'urgent' });
    } catch (error) {
      this.counted.problem = error instanceof Error ? error.message : String(error);
      if (!this.#isClosed) this.#writeAfter(retryMs);
      throw error;
    }
    this.counted.problem = '';
    this.#isOldestTried = false;
    this.#waiting.shift();
    this.#waitingBytes -= bytesOf(batch.blocks);
  }

  /** The number of the newest block; 0 before the first. */
  get newestBlock(): number {
    return this.#nextRawId - 1;
  }

  /** Returns blocks that were written after one, for another recorder. */
  async blocksAfter(after: number): Promise<LoadJobs['blocksAfter']['output']> {
    await this.flushed();
    return this.queue.run('blocksAfter', { after });
  }

  /** Rolls up finished minutes and hours, and deletes old ones. A timer calls it as well. */
  async tidy(): Promise<void> {
    const { clock, retention = defaultLoadRetention } = this.#options;
    const input = { now: clock.now(), retention };
    while (!this.#isClosed && (await this.queue.run('tidy', input)));
  }

  #scheduleTidy(): void {
    this.#tidyTimer = this.#options.clock.setTimeout(async () => {
      try {
        await this.tidy();
        if (this.#waiting.length === 0) this.counted.problem = '';
      } catch (error) {
        this.counted.problem = error instanceof Error ? error.message : String(error);
      }
      if (!this.#isClosed) this.#scheduleTidy();
    }, tidyEveryMs);
  }

  /** Writes the waiting batches. Rejects if one could not be written. */
  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#tidyTimer?.cancel();
    try {
      await this.flushed();
    } finally {
      await super.close();
    }
  }
}

function bytesOf(blocks: LoadBatch['blocks']): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Numbers the streams of each client from 0 on. The numbers of closed streams are reused. */
class StreamSlots {
  readonly #ofClient = new Map<string, (string | undefined)[]>();

  slotOf(sourceId: string, clientId: string, streamId: string): number {
    const key = `${sourceId}\u0000${clientId}`;
    const slots = this.#ofClient.get(key) ?? [];
    this.#ofClient.set(key, slots);
    const known = slots.indexOf(streamId);
    if (known >= 0) return known;
    const free = slots.indexOf(undefined);
    const slot = free >= 0 ? free : slots.length;
    slots[slot] = streamId;
    return slot;
  }

  release(sourceId: string, clientId: string, streamId: string): void {
    const key = `${sourceId}\u0000${clientId}`;
    const slots = this.#ofClient.get(key);
    const slot = slots?.indexOf(streamId) ?? -1;
    if (slots === undefined || slot < 0) return;
    slots[slot] = undefined;
    if (slots.every((each) => each === undefined)) this.#ofClient.delete(key);
  }
}
