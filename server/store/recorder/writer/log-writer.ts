import type { Clock, Emission } from '@/server/observe';
import type { Gap } from '../../ranges';
import { BodyLedger } from '../bodies/body-ledger';
import { ownBodies } from '../bodies/own-bodies';
import { errorCodeOf, formatWriteFailure, RecorderError } from '../recorder-error';
import { BatchBuilder, type WriteBatch } from './batch-builder';

export interface RecordingState {
  /** While `stopped`, observations are not written. They wait, or are counted as missed. */
  readonly state: 'recording' | 'stopped';
  /** A sentence that is empty while recording. */
  readonly reason: string;
}

interface LogWriterOptions {
  readonly clock: Clock;
  /**
   * Commits all batches or none. After a failure it is called again with the same batches, perhaps with more.
   */
  readonly write: (batches: readonly WriteBatch[]) => Promise<void>;
  /** Rejects if the recording cannot be written. */
  readonly probe: () => Promise<void>;
  /** Called after each successful write. */
  readonly onWritten?: () => void;
  /** The first observation gets the seq after this one. */
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
/** keepPace() waits while more bytes than this are waiting to be written. */
const paceBytes = 8 * 1024 * 1024;
/** This many observations are written immediately. */
const maxBatchRows = 2_048;
const maxBatchBytes = 2 * 1024 * 1024;
/** Batches with bodies up to this size are finished without yielding to the event loop. */
const finishedAtOnce = 256 * 1024;
/** Limits of one write, which is one transaction and one wait for the disk. */
const batchesAtOnce = 4;
const bodyBytesAtOnce = 2 * 1024 * 1024;
const firstRetryMs = 1000;
const maxRetryMs = 10_000;

/**
 * Numbers observations, collects them in batches, and writes several batches at a time. Failed batches remain at the
 * head of the queue and are written again. While the queue is full, new observations are missed and counted as one gap,
 * which ends when half of the queue is free.
 */
export class LogWriter {
  readonly bodies = new BodyLedger();
  readonly #options: LogWriterOptions;
  /** The oldest is first; an observation is added to the last one. */
  #queue: BatchBuilder[] = [];
  #queueBytes = 0;
  #queueRows = 0;
  /** Number of batches at the head of the queue that are being written. */
  #beingWritten = 0;
  #room: Buffer | undefined;
  #lastSeq: number;
  #ackedSeq: number;
  #missed = 0;
  /** Set while observations are missed, until half of the queue is free. */
  #openGap: Gap | null = null;
  #gaps: Gap[] = [];
  /** Reason of the latest failed write; null after a successful one. */
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

  /** At least a whole batch is waiting. */
  get isRushed(): boolean {
    return this.#queue.length > 1 || this.#queueRows >= maxBatchRows || this.#queueBytes >= maxBatchBytes;
  }

  get waiting(): number {
    return this.#queueRows;
  }

  /** All observations up to this seq are on the disk, or were missed. */
  get ackedSeq(): number {
    return this.#ackedSeq;
  }

  get missed(): number {
    return this.#missed;
  }

  append(emission: Emission): number {
    const seq = emission.seq ?? this.#lastSeq + 1;
    if (seq <= this.#lastSeq) throw new Error(`expected a seq above ${this.#lastSeq}, got ${seq}`);
    this.#lastSeq = seq;
    if (this.#openGap || this.#closed) {
      this.#miss(seq, emission.observation.at);
      return seq;
    }
    const newBodies = emission.bodies.filter((body) => !this.bodies.has(body));
    const bodyBytes = newBodies.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    // The size of a line is known only once it is formatted, so the queue may exceed its limit by one line.
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

  /** Resolves with the acknowledged seq when all observations so far are on disk; rejects while stopped. */
  flushed(): Promise<number> {
    const rejection = this.#rejection();
    if (rejection) return Promise.reject(rejection);
    if (this.#queue.length === 0) return Promise.resolve(this.#ackedSeq);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ seq: this.#lastSeq, resolve, reject });
      this.#schedule();
    });
  }

  keepPace(): Promise<void> {
    const middle = this.#queue[this.#queue.length >> 1]?.firstSeq;
    if (middle === undefined || this.#queueBytes <= paceBytes || this.#rejection()) return Promise.resolve();
    return new Promise((resolve) => {
      const proceed = (): void => resolve();
      this.#waiters.push({ seq: middle, resolve: proceed, reject: proceed });
      this.#schedule();
    });
  }

  /** Checks whether the recording can be written, although no observation is waiting, and updates the state. */
  probe(): void {
    if (this.#writing === null && this.#failure === null && !this.#closed) this.#pump(true);
  }

  /** Tries once more to write what is waiting, and rejects if something remains unwritten. */
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

  /** Returns the last batch if it has room and is not being written, else a new one. */
  #batchFor(bytes: number): BatchBuilder {
    const last = this.#queue.at(-1);
    const isBeingWritten = this.#queue.length <= this.#beingWritten;
    const hasRoom = last && last.count < maxBatchRows && last.bytes + bytes <= maxBatchBytes;
    if (last && hasRoom && !isBeingWritten) return last;
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

  /** Writes immediately if enough is waiting or a caller awaits it, else soon; after a failure, by the retry timer. */
  #schedule(): void {
    if (this.#writing || this.#failure !== null || !this.#hasWork()) return;
    const isEnough = this.#queueRows >= maxBatchRows || this.#queueBytes >= maxBatchBytes;
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

  /** After a failure it writes even if no observation is waiting. */
  #pump(isProbe = this.#failure !== null): void {
    if (this.#writing || !(this.#hasWork() || isProbe)) return;
    const heads = this.#nextBatches();
    const gaps = [...this.#gaps];
    this.#beingWritten = heads.length;
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

  /** Returns as many batches as one write may contain. */
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
    this.#beingWritten = 0;
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
    this.#beingWritten = 0;
    const rawMessage = error instanceof Error ? error.message : String(error);
    this.#failure = formatWriteFailure(errorCodeOf(error), rawMessage);
    // When writes succeed again, the file may be an older copy, or another one.
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

/** Yields before large batches, whose bodies are copied. The first batch contains the gaps. */
async function finishAll(batches: readonly BatchBuilder[], gaps: readonly Gap[]): Promise<WriteBatch[]> {
  const finished: WriteBatch[] = [];
  for (const [index, batch] of batches.entries()) {
    if (batch.bodyBytes > finishedAtOnce) await new Promise(setImmediate);
    finished.push(batch.finish(index === 0 ? gaps : []));
  }
  return finished;
}
