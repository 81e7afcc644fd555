import path from 'node:path';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import type { LoadScope, LoadSeries } from '@/lib/load/load-series';
import { floorTo, minuteMs } from '@/lib/load/plan-load-reading';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { LoadReported, Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '@/server/observe';
import { damagedCode } from '../../store/recorder/damaged-file';
import { RecorderError } from '../../store/recorder/recorder-error';
import { Compute, type DataFile, type JobSet } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';
import type { LoadExcerptQuestion } from './excerpt-load';
import { LoadBlockWriter, readLoadValues } from './load-block';
import type { LoadAnswer, LoadJobs, LoadReadQuestion } from './load-jobs';
import { LoadNames } from './load-names';
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

interface LoadRecorderStats {
  /** Reports on clusters since the start of this process. */
  readonly reports: number;
  /** Reports that were not recorded because too many bytes were waiting to be written. */
  readonly missed: number;
  /** Lines of reports beyond the limits of series. */
  readonly leftOut: number;
  /** Reason of the latest failed write or roll-up; empty after a success. */
  readonly problem: string;
  /** States file and remedy of the first damage that was found since the start; empty if none was found. */
  readonly damage: string;
}

export const loadJobs: JobSet<'load', DataFile, LoadJobs> = { name: 'load', thread: 'load' };

export const maxSeries = 1_000_000;
/** Twice as many as LoadTable has rows of a client, because endpoints and named metrics are series as well. */
export const maxSeriesOfClient = 20_000;
/** Reports are missed while more bytes than this are waiting to be written. */
const maxWaitingBytes = 64 * 1024 * 1024;
const writeEveryMs = 1_000;
const retryMs = 2_000;
const tidyEveryMs = 10_000;
/** Reading a long span may take some time, but a thread that hangs must be ended. */
const deadlineMs = 60_000;

/**
 * Records every number of every load report in a file beside the log. Reports are encoded here; a worker thread writes,
 * rolls up and reads. Reads return only what is on the disk.
 */
export class LoadRecorder {
  readonly #options: LoadRecorderOptions;
  readonly #queue: JobQueue<LoadJobs>;
  readonly #names = new LoadNames(maxSeries, maxSeriesOfClient);
  readonly #slots = new StreamSlots();
  /** Blocks that are being filled; the key is the minute. */
  #blocks = new Map<EpochMs, LoadBlockWriter>();
  /** Batches that are not acknowledged yet, oldest first. */
  #waiting: LoadBatch[] = [];
  /** The oldest batch was sent and may be on the disk, so it must not change. */
  #isOldestTried = false;
  #waitingBytes = 0;
  #nextRawId = 1;
  #writing: Promise<void> | null = null;
  #timer: { cancel(): void } | null = null;
  #tidyTimer: { cancel(): void } | null = null;
  #isClosed = false;
  #stats = { reports: 0, missed: 0, leftOut: 0, problem: '', damage: '' };

  private constructor(options: LoadRecorderOptions) {
    this.#options = options;
    const { dataDir, compute = new Compute() } = options;
    this.#queue = compute.queue(
      loadJobs,
      { file: path.join(path.resolve(dataDir), 'load.sqlite') },
      {
        owner: 'the recorder of load',
        doing: 'recording load',
        deadlineMs,
        errorOf: (message, code) => {
          if (code === damagedCode) this.#stats.damage ||= message;
          return new RecorderError(code ?? 'LOAD', message);
        },
      },
    );
  }

  /** Throws a RecorderError with a message of one line if the file cannot be used. */
  static async open(options: LoadRecorderOptions): Promise<LoadRecorder> {
    const recorder = new LoadRecorder(options);
    const opened = await recorder.#queue.run('open', null).catch(async (error: unknown) => {
      await recorder.#queue.close();
      throw error;
    });
    const { nextRawId, series } = opened;
    recorder.#nextRawId = nextRawId;
    recorder.#names.restore(series);
    recorder.#scheduleTidy();
    return recorder;
  }

  get stats(): LoadRecorderStats {
    return this.#stats;
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
    this.#stats.reports += clusters.length;
    if (this.#waitingBytes > maxWaitingBytes) {
      this.#stats.missed += clusters.length;
      return;
    }
    const stream = this.#slots.slotOf(sourceId, clientId, streamId);
    const block = this.#blockOf(at);
    for (const cluster of clusters) {
      const { clusterName, clusterServiceName, intervalMs } = cluster;
      const scope: LoadScope = {
        ...{ sourceId, vantage, clientId, clusterName, clusterServiceName, stream },
        isTimed: intervalMs !== null,
      };
      const series = this.#names.streamOf(scope);
      splitLoadReport(cluster, at, (part, values) => {
        const id = this.#names.idOf(series, scope, part);
        if (id === undefined) this.#stats.leftOut += 1;
        else block.add(id, part.kind, values);
      });
    }
    this.#writeAfter(writeEveryMs);
  }

  /**
   * Adds an excerpt of another recorder (LoadExcerpt.values), and resolves when it is on the disk. Throws a
   * RangeError if the bytes are not an excerpt.
   */
  async add(values: Uint8Array, findSeries: (id: number) => LoadSeries | undefined): Promise<void> {
    readLoadValues(values, (id, kind, each) => {
      const reported = findSeries(id);
      const own =
        reported && this.#names.idOf(this.#names.streamOf(reported.scope), reported.scope, reported.part);
      if (own === undefined) this.#stats.leftOut += 1;
      else this.#blockOf(each.at).add(own, kind, each);
    });
    await this.flushed();
  }

  #blockOf(at: EpochMs): LoadBlockWriter {
    const minute = floorTo(at, minuteMs);
    const block = this.#blocks.get(minute) ?? new LoadBlockWriter();
    this.#blocks.set(minute, block);
    return block;
  }

  /** A failed write is reported in `stats.problem` and repeated. */
  #writeAfter(delayMs: number): void {
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = null;
      void this.flushed().catch(() => undefined);
    }, delayMs);
  }

  /** Resolves when all observations so far are on the disk; rejects if they cannot be written. */
  async flushed(): Promise<void> {
    this.#seal();
    while (this.#waiting.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = null;
      });
      await this.#writing;
    }
  }

  #seal(): void {
    if (this.#blocks.size === 0) return;
    const series = this.#names.takeNew();
    const blocks = [...this.#blocks].map(([minute, block]) => ({ minute, bytes: block.finish() }));
    this.#blocks = new Map();
    this.#waiting.push({ firstId: this.#nextRawId, series, blocks });
    this.#nextRawId += blocks.length;
    this.#waitingBytes += bytesOf(blocks);
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
      await this.#queue.run('append', batch, { priority: 'urgent' });
    } catch (error) {
      this.#stats.problem = error instanceof Error ? error.message : String(error);
      if (!this.#isClosed) this.#writeAfter(retryMs);
      throw error;
    }
    this.#stats.problem = '';
    this.#isOldestTried = false;
    this.#waiting.shift();
    this.#waitingBytes -= bytesOf(batch.blocks);
  }

  async read(question: LoadReadQuestion, signal?: AbortSignal): Promise<LoadAnswer> {
    await this.flushed();
    return this.#queue.run('read', question, { signal });
  }

  async excerpt(question: LoadExcerptQuestion): Promise<LoadExcerpt> {
    await this.flushed();
    return this.#queue.run('excerpt', question);
  }

  /** Reads a span part by part, each value as it is stored. */
  async *excerptParts(
    { span, clientId }: Omit<LoadExcerptQuestion, 'stepMs'>,
    signal?: AbortSignal,
  ): AsyncGenerator<LoadExcerpt> {
    await this.flushed();
    for (let from: number | null = span.from; from !== null; ) {
      signal?.throwIfAborted();
      const requested: LoadJobs['excerptPart']['input'] = { span: { from, to: span.to }, clientId };
      const { excerpt, next }: LoadJobs['excerptPart']['output'] = await this.#queue.run(
        'excerptPart',
        requested,
        { signal },
      );
      if (excerpt.series.length > 0) yield excerpt;
      from = next;
    }
  }

  /** Rolls up finished minutes and hours, and deletes old ones. A timer calls it as well. */
  async tidy(): Promise<void> {
    const { clock, retention = defaultLoadRetention } = this.#options;
    const input = { now: clock.now(), retention };
    while (!this.#isClosed && (await this.#queue.run('tidy', input)));
  }

  #scheduleTidy(): void {
    this.#tidyTimer = this.#options.clock.setTimeout(async () => {
      try {
        await this.tidy();
        if (this.#waiting.length === 0) this.#stats.problem = '';
      } catch (error) {
        this.#stats.problem = error instanceof Error ? error.message : String(error);
      }
      if (!this.#isClosed) this.#scheduleTidy();
    }, tidyEveryMs);
  }

  /** Writes the waiting batches. Rejects if one could not be written. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#tidyTimer?.cancel();
    try {
      await this.flushed();
      await this.#queue.run('close', null, { priority: 'urgent' });
    } finally {
      await this.#queue.close();
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
