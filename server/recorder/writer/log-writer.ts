import type { Clock, Emission } from '@/server/observe';
import { maxBlockRows } from '../blocks/block-builder';
import { BodyLedger } from '../bodies/body-ledger';
import { ownBodies } from '../bodies/own-bodies';
import { errorCodeOf, formatWriteFailure, RecorderError } from '../recorder-error';
import type { Gap } from '../storage/state-stores';
import { BatchBuilder, type WriteBatch } from './batch-builder';

export interface RecordingState {
  /** `stopped`: observations do not reach the disk at the moment. They wait, or are counted as missed. */
  readonly state: 'recording' | 'stopped';
  /** In words; empty while recording. */
  readonly reason: string;
}

export interface LogWriterOptions {
  readonly clock: Clock;
  /** Commits batches, all or nothing. The same come again after a failure, and perhaps more. */
  readonly write: (batches: readonly WriteBatch[]) => Promise<void>;
  /** Rejects, as a write would, where the recording cannot be written. */
  readonly probe: () => Promise<void>;
  /** After each write that did not fail. */
  readonly onWritten?: () => void;
  /** The next observation gets the one after this. */
  readonly newestSeq: number;
  readonly maxQueueBytes: number;
  readonly onStateChange: (state: RecordingState) => void;
}

interface Waiter {
  readonly seq: number;
  readonly resolve: (ackedSeq: number) => void;
  readonly reject: (error: RecorderError) => void;
}

const batchEveryMs = 50;
/** Who brings much waits while more than this is on its way to the disk. */
const paceBytes = 8 * 1024 * 1024;
/** So many do not wait for more: they are a block. */
const enoughRows = maxBlockRows;
const maxBatchRows = maxBlockRows;
/** A batch's vocabulary is gone through by each collection until it is sent: of 8 MiB it made blocks of 60 to 100 ms. */
const maxBatchBytes = 1024 * 1024;
/** What is finished at once does not hold up the event loop. */
const finishedAtOnce = 256 * 1024;
/** So many go to the disk together when they wait, or fewer with so many bodies: one transaction, and one wait for it. */
const batchesAtOnce = 4;
const bodyBytesAtOnce = 2 * 1024 * 1024;
const firstRetryMs = 1000;
const maxRetryMs = 10_000;

/**
 * The log's tail on its way to the disk: numbers observations, gathers them into batches, and writes them, some at a time.
 *
 *   append -> queue -> write -> acknowledged          failed batches stay at the head and are tried again;
 *                |                                    meanwhile the queue fills, and when it is full the newest
 *                +--(full)--> gap, counted            are missed: one gap, until half of the queue is written.
 */
export class LogWriter {
  readonly bodies = new BodyLedger();
  readonly #options: LogWriterOptions;
  /** Batches, oldest first; what comes is added to the last one. */
  #queue: BatchBuilder[] = [];
  #queueBytes = 0;
  #queueRows = 0;
  /** At the head of the queue, complete. */
  #onTheirWay = 0;
  /** Of a batch that was written, for the next one. */
  #room: Buffer | undefined;
  #lastSeq: number;
  #ackedSeq: number;
  #missed = 0;
  /** Observations are being missed; closed when there is room again. */
  #openGap: Gap | null = null;
  #gaps: Gap[] = [];
  /** Why the newest write failed; null after one that did not. */
  #failure: string | null = null;
  #reported: RecordingState = { state: 'recording', reason: '' };
  #writing: Promise<void> | null = null;
  #timer: { cancel(): void } | null = null;
  #retryMs = firstRetryMs;
  #waiters: Waiter[] = [];
  #closed = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#lastSeq = options.newestSeq;
    this.#ackedSeq = options.newestSeq;
  }

  get state(): RecordingState {
    return this.#reported;
  }

  /** A whole batch waits for the disk, or more. */
  get isRushed(): boolean {
    return this.#queue.length > 1 || this.#queueRows >= enoughRows || this.#queueBytes >= maxBatchBytes;
  }

  /** Observations on their way to the disk. */
  get waiting(): number {
    return this.#queueRows;
  }

  /** Everything up to here is on the disk, or was missed. */
  get ackedSeq(): number {
    return this.#ackedSeq;
  }

  /** How many observations did not reach the log since the start of this process. */
  get missed(): number {
    return this.#missed;
  }

  append(emission: Emission): number {
    const seq = ++this.#lastSeq;
    if (this.#openGap || this.#closed) {
      this.#miss(seq, emission.observation.at);
      return seq;
    }
    const newBodies = emission.bodies.filter((body) => !this.bodies.has(body));
    const bodyBytes = newBodies.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    // How long its row becomes is known when it is written: the queue may be longer by one.
    if (this.#queue.length > 0 && this.#queueBytes + bodyBytes >= this.#options.maxQueueBytes) {
      this.#miss(seq, emission.observation.at);
      return seq;
    }
    const bodies = ownBodies(newBodies);
    const batch = this.#batchFor(bodyBytes);
    const bytesBefore = batch.bytes;
    batch.add(seq, emission.observation, bodies);
    this.#queueBytes += batch.bytes - bytesBefore;
    this.#queueRows += 1;
    for (const body of bodies) this.bodies.add(body);
    this.#schedule();
    return seq;
  }

  /** Resolves with the acknowledged seq when all that was appended before is on the disk; rejects when it will not be. */
  flushed(): Promise<number> {
    const rejection = this.#rejection();
    if (rejection) return Promise.reject(rejection);
    if (this.#queue.length === 0) return Promise.resolve(this.#ackedSeq);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ seq: this.#lastSeq, resolve, reject });
      this.#schedule();
    });
  }

  /** See Recorder.keepPace(). */
  keepPace(): Promise<void> {
    const middle = this.#queue[this.#queue.length >> 1]?.firstSeq;
    if (middle === undefined || this.#queueBytes <= paceBytes || this.#rejection()) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => resolve();
      this.#waiters.push({ seq: middle, resolve: settle, reject: settle });
      this.#schedule();
    });
  }

  /** Finds out whether something could be written, though nothing waits for it: the state says so afterwards. */
  probe(): void {
    if (this.#writing === null && this.#failure === null && !this.#closed) this.#pump(true);
  }

  /** One last try to write what waits. Rejects when something stays unwritten. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#openGap) this.#gaps.push(this.#openGap);
    this.#openGap = null;
    do {
      this.#cancelTimer();
      this.#pump();
      await this.#writing;
    } while (this.#hasWork() && this.#failure === null);
    this.#cancelTimer();
    if (this.#queue.length > 0) {
      throw new RecorderError(
        'NOT_ALL_WRITTEN',
        `${this.#queueRows} observations were not written: ${this.#failure}`,
      );
    }
  }

  /** The last one that waits, if it has room; what is on its way is complete. */
  #batchFor(bytes: number): BatchBuilder {
    const last = this.#queue.at(-1);
    const isOnItsWay = this.#queue.length <= this.#onTheirWay;
    const hasRoom = last && last.count < maxBatchRows && last.bytes + bytes <= maxBatchBytes;
    if (last && hasRoom && !isOnItsWay && !last.isSealed) return last;
    const batch = new BatchBuilder(this.#room);
    this.#room = undefined;
    this.#queue.push(batch);
    return batch;
  }

  #miss(seq: number, at: number): void {
    this.#missed += 1;
    const gap = this.#openGap;
    this.#openGap = gap
      ? { ...gap, toSeq: seq, toAt: at }
      : {
          fromSeq: seq,
          toSeq: seq,
          fromAt: at,
          toAt: at,
          reason: this.#failure ?? 'more came than could be written',
        };
    this.#publishState();
  }

  #hasWork(): boolean {
    return this.#queue.length > 0 || this.#gaps.length > 0;
  }

  /** Writes now when there is enough or somebody waits, else soon. After a failure the retry's timer decides. */
  #schedule(): void {
    if (this.#writing || this.#failure !== null || !this.#hasWork()) return;
    const isEnough = this.#queueRows >= enoughRows || this.#queueBytes >= maxBatchBytes;
    if (isEnough || this.#waiters.length > 0) {
      this.#cancelTimer();
      this.#pump();
    } else {
      this.#timer ??= this.#options.clock.setTimeout(() => {
        this.#timer = null;
        this.#pump();
      }, batchEveryMs);
    }
  }

  /** After a failure it is tried again, whether anything waits or not. */
  #pump(isProbe = this.#failure !== null): void {
    if (this.#writing || !(this.#hasWork() || isProbe)) return;
    const heads = this.#nextBatches();
    const gaps = [...this.#gaps];
    this.#onTheirWay = heads.length;
    const writing = this.#hasWork()
      ? finishAll(heads.length === 0 ? [new BatchBuilder()] : heads, gaps).then((batches) =>
          this.#options.write(batches),
        )
      : this.#options.probe();
    this.#writing = writing
      .then(
        () => this.#written(heads, gaps),
        (error) => this.#failed(error),
      )
      .finally(() => {
        this.#writing = null;
        this.#schedule();
      });
  }

  /** Some of the queue's; of many bodies fewer, so that not too much is held for one transaction. */
  #nextBatches(): BatchBuilder[] {
    let bodyBytes = 0;
    const isTooMuch = (batch: BatchBuilder, index: number) => {
      bodyBytes += batch.bodyBytes;
      return index > 0 && (index >= batchesAtOnce || bodyBytes > bodyBytesAtOnce);
    };
    const end = this.#queue.findIndex(isTooMuch);
    return end === -1 ? [...this.#queue] : this.#queue.slice(0, end);
  }

  #written(heads: readonly BatchBuilder[], gaps: readonly Gap[]): void {
    this.#queue.splice(0, heads.length);
    this.#onTheirWay = 0;
    for (const head of heads) {
      this.#queueBytes -= head.bytes;
      this.#queueRows -= head.count;
      for (const body of head.bodies) this.bodies.committed(body);
      this.#room = head.release();
    }
    this.#gaps = this.#gaps.filter((gap) => !gaps.includes(gap));
    this.#failure = null;
    this.#retryMs = firstRetryMs;
    if (this.#openGap && this.#queueBytes <= this.#options.maxQueueBytes / 2) {
      this.#gaps.push(this.#openGap);
      this.#openGap = null;
    }
    this.#ackedSeq = (this.#queue[0]?.firstSeq ?? this.#openGap?.fromSeq ?? this.#lastSeq + 1) - 1;
    this.#publishState();
    this.#options.onWritten?.();
    const reached = this.#waiters.filter(({ seq }) => seq <= this.#ackedSeq);
    this.#waiters = this.#waiters.filter(({ seq }) => seq > this.#ackedSeq);
    for (const { resolve } of reached) resolve(this.#ackedSeq);
  }

  #failed(error: unknown): void {
    this.#onTheirWay = 0;
    const rawMessage = error instanceof Error ? error.message : String(error);
    this.#failure = formatWriteFailure(errorCodeOf(error), rawMessage);
    // The file may have been put back to an older state, or be another one, when it takes writes again.
    this.bodies.forgetAll();
    this.#publishState();
    const rejection = this.#rejection();
    const waiters = this.#waiters;
    this.#waiters = [];
    if (rejection) for (const { reject } of waiters) reject(rejection);
    if (this.#closed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs);
  }

  #rejection(): RecorderError | null {
    const { state, reason } = this.#reported;
    return state === 'stopped'
      ? new RecorderError('RECORDING_STOPPED', `recording is stopped: ${reason}`)
      : null;
  }

  #publishState(): void {
    const reported = this.#reported;
    const missedNow = this.#openGap ? this.#openGap.toSeq - this.#openGap.fromSeq + 1 : 0;
    const cause = this.#failure ?? this.#openGap?.reason ?? null;
    const missedText = missedNow > 0 ? '; observations are being missed' : '';
    this.#reported =
      cause === null ? { state: 'recording', reason: '' } : { state: 'stopped', reason: cause + missedText };
    if (reported.state !== this.#reported.state || reported.reason !== this.#reported.reason) {
      this.#options.onStateChange(this.#reported);
    }
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}

/** Large ones one by one: of 1 MiB each takes the event loop some 5 ms. The first one has the gaps. */
async function finishAll(batches: readonly BatchBuilder[], gaps: readonly Gap[]): Promise<WriteBatch[]> {
  const finished: WriteBatch[] = [];
  for (const [index, batch] of batches.entries()) {
    if (batch.bytes > finishedAtOnce) await new Promise(setImmediate);
    finished.push(batch.finish(index === 0 ? gaps : []));
  }
  return finished;
}
