import { stringifyInSteps } from '@/lib/cooperative/stringify-in-steps';
import type { ClientState } from '@/lib/observation/client-state';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { KnownSource } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import type { Body, Emission } from '@/server/observe';
import { takeSteps } from '../../workers/threads/take-steps';
import { wholeBuffer } from '../../workers/threads/whole-buffer';
import { Checkpoints } from '../checkpoints';
import { foldClientAt } from '../client-at';
import type {
  ClientAt,
  HistoryBucket,
  HistoryFilter,
  HistoryMarks,
  HistoryQuery,
  HistoryRow,
} from '../history-query';
import type { Gap, Pin } from '../ranges';
import { type RetentionSteps, runRetention } from '../retention';
import { nameOfStore } from '../store-url';
import { damagedCode, damageOf } from './damaged-file';
import type { StoreTotals } from './log-store';
import { notInPlaceCode } from './open-files';
import type {
  Permalink,
  ReadObservations,
  Recorder,
  RecorderOptions,
  RecorderStats,
  StoredObservation,
} from './recorder';
import { RecorderError } from './recorder-error';
import type { RecorderThread } from './thread/recorder-thread';
import { followLog, type LogInput } from './writer/followed-log';
import { LogWriter } from './writer/log-writer';

const retentionEveryMs = 60_000;
/** A deleted or moved recording is noticed after this time, even if nothing is recorded. */
const probeEveryMs = 2_000;
const defaultMaxQueueBytes = 64 * 1024 * 1024;
/** Limits the rows of one request to the thread, so that parsing them does not block the event loop. */
const replayPage = 500;
const bodyPage = 500;

export interface SharedLogOptions {
  /** Returns true if this process is the one that folds the clients of the store, and stores their snapshots. */
  readonly isFolder: () => boolean;
  /** Returns the seq up to which this process has read the store since the start; 0 at the start. */
  readonly findReachedSeq: () => number;
}

/** Combines the queue of the writer, on the main thread, with the store in its worker thread. */
export class LogRecorder implements Recorder {
  readonly file: string;
  readonly #options: RecorderOptions;
  readonly #lock: { release(): void };
  readonly #thread: RecorderThread;
  readonly #writer: LogInput;
  readonly #shared: SharedLogOptions | undefined;
  #totals: StoreTotals;
  readonly #checkpoints: Checkpoints;
  /** Checkpoints are written and read one after the other. */
  #checkpointing: Promise<unknown> = Promise.resolve();
  /** Rounds of retention are run one after the other. */
  #retention: Promise<unknown> = Promise.resolve();
  #retentionTimer: { cancel(): void };
  #retentionProblem = '';
  #growth: RecorderStats['growth'] = {};
  #damage = '';
  #probeTimer: { cancel(): void };
  #closed = false;
  #notFollowed = 0;
  /** Set while clients are being folded for their snapshots. */
  #following: Promise<void> | null = null;

  constructor(
    options: RecorderOptions,
    {
      file,
      lock,
      thread,
      totals,
      shared,
    }: {
      readonly file: string;
      readonly lock: { release(): void };
      readonly thread: RecorderThread;
      readonly totals: StoreTotals;
      readonly shared?: SharedLogOptions;
    },
  ) {
    this.file = file;
    this.#shared = shared;
    this.#thread = thread;
    this.#options = options;
    this.#lock = lock;
    this.#checkpoints = new Checkpoints({
      beginCheckpoint: () => thread.call('beginCheckpoint'),
      addToCheckpoint: (...args) => thread.call('addToCheckpoint', ...args),
      completeCheckpoint: (...args) => thread.call('completeCheckpoint', ...args),
      deleteStaleCheckpoints: () => thread.call('deleteStaleCheckpoints'),
      findCheckpoint: () => thread.call('findCheckpoint'),
      readCheckpoint: (...args) => thread.call('readCheckpoint', ...args),
    });
    this.#totals = totals;
    this.#writer =
      shared === undefined
        ? new LogWriter({
            clock: options.clock,
            newestSeq: totals.newestSeq,
            maxQueueBytes: options.maxQueueBytes ?? defaultMaxQueueBytes,
            onStateChange: (state) => options.onStateChange?.(state),
            write: async (batches) => {
              this.#totals = await thread.write(batches);
            },
            probe: () => thread.call('assertInPlace'),
            onWritten: () => this.#followClients(),
          })
        : followLog(
            () => Math.max(totals.newestSeq, shared.findReachedSeq()),
            () => this.#followClients(),
          );
    thread.onError = (error) => this.#noteError(error);
    this.#probeTimer = this.#scheduleProbe();
    this.#retentionTimer = this.#scheduleRetention();
    void this.#measure();
  }

  #noteError({ code, message }: RecorderError): void {
    // No batch is acknowledged from here on.
    if (code === notInPlaceCode) this.#writer.probe();
    if (code === damagedCode) this.noteDamage(message);
  }

  #noteProblem(what: string, error: unknown): void {
    this.#retentionProblem = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  }

  noteDamage(message: string): void {
    if (this.#damage !== '') return;
    this.#damage = message;
    this.#options.onDamage?.(message);
  }

  #scheduleProbe(): { cancel(): void } {
    return this.#options.clock.setTimeout(() => {
      this.#writer.probe();
      if (this.#shared !== undefined) void this.#countPermalinks();
      if (!this.#closed) this.#probeTimer = this.#scheduleProbe();
    }, probeEveryMs);
  }

  /** Other processes save permalinks, too. */
  async #countPermalinks(): Promise<void> {
    try {
      this.#totals = { ...this.#totals, permalinks: await this.#thread.call('readPermalinkTotals') };
    } catch (error) {
      this.#noteProblem('permalinks', error);
    }
  }

  /** Folds clients for their next snapshots, unless many observations are waiting to be written. */
  #followClients(): void {
    const mayFollow = (): boolean =>
      !this.#closed && !this.#writer.isRushed && this.#shared?.isFolder() !== false;
    this.#following ??= (async () => {
      try {
        for (let isMore = true; isMore && mayFollow(); ) {
          const step = await this.#thread.call('followClients');
          isMore = step.isMore;
          this.#notFollowed = step.notFollowed;
        }
      } catch (error) {
        // Snapshots only make reading faster, so the next write tries again.
        this.#noteProblem('snapshots', error);
      } finally {
        this.#following = null;
      }
    })();
  }

  async #measure(): Promise<void> {
    try {
      this.#growth = await this.#thread.call('measureGrowth', this.#options.clock.now());
    } catch (error) {
      this.#noteProblem('growth', error);
    }
  }

  append(emission: Emission): number {
    return this.#writer.append(emission);
  }

  flushed(): Promise<number> {
    return this.#writer.flushed();
  }

  keepPace(): Promise<void> {
    return this.#writer.keepPace();
  }

  async readBody(hash: string, typeUrl?: string): Promise<Body | undefined> {
    const pending = this.#writer.bodies.findPending(hash, typeUrl);
    return pending ?? (await this.#thread.call('readBodies', [hash], typeUrl))[0];
  }

  #pendingOf(hashes: Iterable<string>): Body[] {
    return [...hashes].flatMap((hash) => this.#writer.bodies.findPending(hash) ?? []);
  }

  async readBodies(hashes: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Body>> {
    const found = new Map<string, Body>();
    const wanted = [...new Set(hashes)];
    for (const body of this.#pendingOf(wanted)) found.set(body.hash, body);
    const stored = wanted.filter((hash) => !found.has(hash));
    for (let from = 0; from < stored.length; from += bodyPage) {
      const page = await this.#thread.run('readBodies', [stored.slice(from, from + bodyPage)], { signal });
      for (const body of page) found.set(body.hash, body);
    }
    return found;
  }

  async readPendingBodies(hashes: Iterable<string>): Promise<Body[]> {
    if (this.#writer.bodies.hasNonePending) return [];
    return this.#pendingOf(new Set(hashes)).map((body) => ({ ...body, bytes: wholeBuffer(body.bytes) }));
  }

  async readObservations(query: ReadObservations): Promise<Recorded[]> {
    const texts = await this.readObservationTexts(query);
    return this.#withDamageNoted(() => texts.map(recordedOf));
  }

  readObservationTexts(query: ReadObservations, signal?: AbortSignal): Promise<StoredObservation[]> {
    return this.#thread.run('readObservationTexts', [query], { signal });
  }

  readHistory(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryRow[]> {
    return this.#thread.run('readHistory', [query], { signal });
  }

  countHistory(filter: HistoryFilter, signal?: AbortSignal): Promise<number> {
    return this.#thread.run('countHistory', [filter], { signal });
  }

  readMarks(filter: HistoryFilter, limit: number, signal?: AbortSignal): Promise<HistoryMarks> {
    return this.#thread.run('readMarks', [filter, limit], { signal });
  }

  readDensity(filter: HistoryFilter, bucketMs: number, signal?: AbortSignal): Promise<HistoryBucket[]> {
    return this.#thread.run('readDensity', [filter, bucketMs], { signal });
  }

  async readClientAt(
    clientId: string,
    at: EpochMs | { readonly seq: number },
    signal?: AbortSignal,
  ): Promise<ClientAt | undefined> {
    const stored = await this.#thread.run('readStoredClientAt', [clientId, at], { signal });
    return stored && this.#withDamageNoted(() => foldClientAt(stored));
  }

  readGaps(from?: EpochMs, to?: EpochMs): Promise<Gap[]> {
    return this.#thread.call('readGaps', from, to);
  }

  async *replayAfter(seq: number): AsyncGenerator<Recorded[]> {
    let afterSeq = seq;
    for (;;) {
      const page: Recorded[] = await this.readObservations({
        afterSeq,
        limit: replayPage,
        order: 'asc',
      });
      const last = page.at(-1);
      if (!last) return;
      yield page;
      afterSeq = last.seq;
    }
  }

  saveCheckpoint(
    seq: number,
    clients: Iterable<ClientState>,
    sources: Iterable<KnownSource> = [],
  ): Promise<void> {
    // The bodies must be stored before the checkpoint retains them.
    const ready = this.#checkpointing.then(() => this.#writer.flushed());
    const isCancelled = (): boolean => this.#closed;
    const saved = this.#checkpoints.save(seq, clients, sources, { ready, isCancelled }).then(async () => {
      this.#totals = await this.#thread.call('totals');
    });
    this.#checkpointing = saved.catch(() => {});
    return saved;
  }

  loadCheckpoint(onRead?: (clients: number) => void): ReturnType<Recorder['loadCheckpoint']> {
    const loaded = this.#checkpointing.then(() =>
      this.#withDamageNoted(() => this.#checkpoints.load(onRead)),
    );
    this.#checkpointing = loaded.catch(() => {});
    return loaded;
  }

  async savePermalink(permalink: Permalink & { readonly hashes: Iterable<string> }): Promise<boolean> {
    const { id, createdAt, content, hashes } = permalink;
    const json =
      typeof content === 'object' && content !== null && !Array.isArray(content)
        ? await takeSteps(stringifyInSteps(content))
        : JSON.stringify(content);
    await this.#writer.flushed();
    const limit = this.#options.maxPermalinks ?? Number.MAX_SAFE_INTEGER;
    const stored = { id, createdAt, json };
    const totals = await this.#thread.call('savePermalink', stored, [...new Set(hashes)], limit);
    this.#totals = totals ?? this.#totals;
    return totals !== undefined;
  }

  async readPermalink(id: string): Promise<Permalink | undefined> {
    const stored = await this.#thread.call('readPermalink', id);
    if (stored === undefined) return undefined;
    const { createdAt, json } = stored;
    return { id, createdAt, content: await this.#withDamageNoted(() => JSON.parse(json)) };
  }

  findSources(): ReturnType<Recorder['findSources']> {
    return this.#thread.call('findCheckpoint');
  }

  listPermalinks(after: string, limit: number): ReturnType<Recorder['listPermalinks']> {
    return this.#thread.call('listPermalinks', after, limit);
  }

  async pin(range: Omit<Pin, 'id'>): Promise<Pin | undefined> {
    return this.#thread.call('addPin', range);
  }

  unpin(id: number): Promise<boolean> {
    return this.#thread.call('removePin', id);
  }

  pins(): Promise<Pin[]> {
    return this.#thread.call('readPins');
  }

  confirmInPlace(): Promise<void> {
    return this.#thread.call('assertInPlace');
  }

  /** Parses stored JSON on this thread, and records damage. */
  async #withDamageNoted<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const error = damageOf(nameOfStore(this.file), cause);
      if (error instanceof RecorderError) this.#noteError(error);
      throw error;
    }
  }

  applyRetention(): Promise<void> {
    const round = this.#retention.then(() => this.#runRetention());
    this.#retention = round.catch(() => {});
    return round;
  }

  async #runRetention(): Promise<void> {
    if (this.#closed || this.#writer.state.state === 'stopped') return;
    const { clock, retention } = this.#options;
    const thread = this.#thread;
    const steps: RetentionSteps = {
      deleteOldest: (...args) => thread.call('deleteOldest', ...args),
      findUnnamedBodies: (limit) => thread.call('findUnnamedBodies', limit),
      deleteUnnamedBodies: (hashes) => thread.call('deleteUnnamedBodies', hashes),
      shrink: () => thread.call('shrink'),
    };
    const options = {
      limits: {
        olderThan: clock.now() - retention.maxAgeMs,
        maxBytes: retention.maxBytes,
        maxCount: retention.maxCount ?? Number.MAX_SAFE_INTEGER,
      },
      isCancelled: () => this.#closed,
      forgetBodies: (hashes: readonly string[]) => {
        this.#writer.bodies.forget(hashes);
        return this.#writer.flushed();
      },
    };
    // server/forwarding/store-retention.ts deletes from a shared store.
    if (this.#shared === undefined) await runRetention(steps, options);
    this.#totals = await this.#thread.call('totals');
    this.#growth = await this.#thread.call('measureGrowth', clock.now());
  }

  #scheduleRetention(): { cancel(): void } {
    return this.#options.clock.setTimeout(async () => {
      try {
        await this.applyRetention();
        this.#retentionProblem = '';
      } catch (error) {
        this.#noteProblem('retention', error);
      }
      if (!this.#closed) this.#retentionTimer = this.#scheduleRetention();
    }, retentionEveryMs);
  }

  stats(): RecorderStats {
    const { observations, bodies, sizeBytes, oldestAt, checkpointSeq, gaps } = this.#totals;
    const { ackedSeq, missed, state, waiting } = this.#writer;
    return {
      ...state,
      observations,
      bodies,
      sizeBytes,
      oldestAt,
      newestSeq: ackedSeq,
      checkpointSeq,
      missed,
      notFollowed: this.#notFollowed,
      waiting,
      gaps,
      limits: this.#options.retention,
      growth: this.#growth,
      permalinks: { ...this.#totals.permalinks, limit: this.#options.maxPermalinks },
      retentionProblem: this.#retentionProblem,
      damage: this.#damage,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#retentionTimer.cancel();
    this.#probeTimer.cancel();
    await Promise.allSettled([this.#checkpointing, this.#retention, this.#following]);
    try {
      await this.#writer.close();
    } finally {
      await this.#thread.close().finally(() => this.#lock.release());
    }
  }
}

function recordedOf({ seq, json }: StoredObservation): Recorded {
  return { ...(JSON.parse(json) as Observation), seq };
}
