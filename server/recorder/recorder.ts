import path from 'node:path';
import type { ClientState } from '@/lib/observation/client-state';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Body, Clock, Sighting } from '@/server/observe';
import type { CheckpointChunk, CheckpointPage } from './checkpoint';
import { type ClientSnapshot, chunksOf, restoreChunk, snapshotClients } from './client-snapshot';
import { lockDataDir } from './data-dir-lock';
import { LogWriter, type RecordingState } from './log-writer';
import type { StoredObservation } from './read-observations';
import { RecorderThread } from './recorder-thread';
import { runRetentionRound } from './retention-round';
import type { StoreTotals } from './store';

export interface RecorderOptions {
  /** Made when it is missing. Held by one process at a time. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly retention: { readonly maxAgeMs: number; readonly maxBytes: number };
  /** Recording stopped, or goes on again. Called from append too: must be short and not throw. */
  readonly onStateChange?: (state: RecordingState) => void;
  /** What may wait for the disk before observations are missed. */
  readonly maxQueueBytes?: number;
}

export interface RecorderStats extends RecordingState {
  readonly observations: number;
  readonly bodies: number;
  /** Of the file; the write-ahead log is not counted. */
  readonly sizeBytes: number;
  readonly oldestAt: EpochMs | null;
  /** Everything up to here is on the disk, or was missed. */
  readonly newestSeq: number;
  /** Retention never deletes what came after it: save checkpoints regularly. null is "none yet". */
  readonly checkpointSeq: number | null;
  /** Observations that did not reach the log since the start of this process. */
  readonly missed: number;
  /** Why the newest round of retention failed; empty when it did not. */
  readonly retentionProblem: string;
}

export interface ReadObservations {
  /** Exclusive, both. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  readonly kinds?: readonly Observation['kind'][];
  readonly clientId?: string;
  /** Fewer may come when they are large (8 MiB of JSON), but none only at the end. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export interface Permalink {
  readonly id: string;
  readonly createdAt: EpochMs;
  /** Plain JSON. */
  readonly content: unknown;
}

/**
 * The observation log and the blob store. Writing is synchronous to call and happens in a worker thread; reads see
 * what is committed (call flushed() before to see everything appended), bodies also what is still on its way.
 */
export interface Recorder {
  /** Gives the observation its place in the log: 1, 2, 3... without end over restarts. Never waits. */
  append(sighting: Sighting): number;
  /** Resolves with the acknowledged seq when all appended so far is on the disk; rejects while recording is stopped. */
  flushed(): Promise<number>;
  /** Without a type URL: under whichever it was seen first. undefined is "not stored", as after a gap or retention. */
  readBody(hash: string, typeUrl?: string): Promise<Body | undefined>;
  /** By hash; unknown ones are left out. */
  readBodies(hashes: Iterable<string>): Promise<Map<string, Body>>;
  readObservations(query: ReadObservations): Promise<Recorded[]>;
  /** Everything after `seq`, oldest first, in pieces that do not hold up the event loop. */
  replayAfter(seq: number): AsyncIterable<Recorded[]>;
  /** Keeps the fold up to `seq` as it is at the call, and lets go of the one before. `clients` may change afterwards. */
  saveCheckpoint(seq: number, clients: Iterable<ClientState>): Promise<void>;
  loadCheckpoint(): Promise<{ seq: number; clients: ClientState[] } | undefined>;
  /** Bodies with these hashes are exempt from retention from now on. */
  savePermalink(permalink: Permalink & { readonly hashes: Iterable<string> }): Promise<void>;
  readPermalink(id: string): Promise<Permalink | undefined>;
  /** Happens by itself once a minute; resolves when the recording is within its limits, as far as it can be. */
  applyRetention(): Promise<void>;
  stats(): RecorderStats;
  /** Writes what waits and lets go of the data dir. Rejects when something could not be written. */
  close(): Promise<void>;
}

const retentionEveryMs = 60_000;
const defaultMaxQueueBytes = 64 * 1024 * 1024;
/** What is handed to the worker or taken from it at once. */
const chunkGroupChars = 256 * 1024;
const chunkPage = 50;
const staleChunks = 100;
const replayPage = 1000;

export { newPermalinkId } from './permalink-id';
export { RecorderError } from './recorder-error';

/** Throws a RecorderError with one clear line when the data dir is in use, unusable, or of a newer xdscope. */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const lock = lockDataDir(options.dataDir);
  const thread = new RecorderThread(path.join(options.dataDir, 'recording.sqlite'));
  try {
    return new SqliteRecorder(options, lock, thread, await thread.call('totals'));
  } catch (error) {
    await thread.abandon();
    lock.release();
    throw error;
  }
}

class SqliteRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #lock: { release(): void };
  readonly #thread: RecorderThread;
  readonly #writer: LogWriter;
  #totals: StoreTotals;
  /** Checkpoints are written one after the other. */
  #checkpoints: Promise<unknown> = Promise.resolve();
  #checkpointBeingWritten: number | null = null;
  /** Its rounds, too. */
  #retention: Promise<unknown> = Promise.resolve();
  #retentionTimer: { cancel(): void };
  #retentionProblem = '';
  #closed = false;

  constructor(
    options: RecorderOptions,
    lock: { release(): void },
    thread: RecorderThread,
    totals: StoreTotals,
  ) {
    this.#options = options;
    this.#lock = lock;
    this.#thread = thread;
    this.#totals = totals;
    this.#writer = new LogWriter({
      clock: options.clock,
      newestSeq: totals.newestSeq,
      maxQueueBytes: options.maxQueueBytes ?? defaultMaxQueueBytes,
      onStateChange: (state) => options.onStateChange?.(state),
      write: async (batch) => {
        this.#totals = await thread.call('write', batch);
      },
    });
    this.#retentionTimer = this.#scheduleRetention();
  }

  append(sighting: Sighting): number {
    return this.#writer.append(sighting);
  }

  flushed(): Promise<number> {
    return this.#writer.flushed();
  }

  async readBody(hash: string, typeUrl?: string): Promise<Body | undefined> {
    return this.#writer.bodies.findPending(hash, typeUrl) ?? this.#thread.call('readBody', hash, typeUrl);
  }

  async readBodies(hashes: Iterable<string>): Promise<Map<string, Body>> {
    const found = new Map<string, Body>();
    const stored: string[] = [];
    for (const hash of new Set(hashes)) {
      const pending = this.#writer.bodies.findPending(hash);
      if (pending) found.set(hash, pending);
      else stored.push(hash);
    }
    if (stored.length > 0) {
      for (const body of await this.#thread.call('readBodies', stored)) found.set(body.hash, body);
    }
    return found;
  }

  async readObservations(query: ReadObservations): Promise<Recorded[]> {
    return (await this.#thread.call('readObservations', query)).map(recordedOf);
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

  saveCheckpoint(seq: number, clients: Iterable<ClientState>): Promise<void> {
    const snapshots = snapshotClients(clients);
    const saved = this.#checkpoints.then(() => this.#writeCheckpoint(seq, snapshots));
    this.#checkpoints = saved.catch(() => {});
    return saved;
  }

  async #writeCheckpoint(seq: number, snapshots: readonly ClientSnapshot[]): Promise<void> {
    // The bodies that it names must be there before it marks them as named.
    await this.#writer.flushed();
    const id = await this.#thread.call('beginCheckpoint', seq, this.#options.clock.now());
    this.#checkpointBeingWritten = id;
    try {
      let group: CheckpointChunk[] = [];
      let groupChars = 0;
      for (const chunk of chunksOf(snapshots)) {
        group.push(chunk);
        groupChars += chunk.json.length;
        if (groupChars < chunkGroupChars) continue;
        await this.#thread.call('addCheckpointChunks', id, group);
        group = [];
        groupChars = 0;
      }
      await this.#thread.call('addCheckpointChunks', id, group);
      this.#totals = await this.#thread.call('completeCheckpoint', id);
      while (await this.#thread.call('deleteStaleCheckpoints', null, staleChunks));
    } finally {
      this.#checkpointBeingWritten = null;
    }
  }

  async loadCheckpoint(): Promise<{ seq: number; clients: ClientState[] } | undefined> {
    const checkpoint = await this.#thread.call('findNewestCheckpoint');
    if (!checkpoint) return undefined;
    const clients = new Map<string, ClientState>();
    for (let after: number | null = 0; after !== null; ) {
      const page: CheckpointPage = await this.#thread.call('readCheckpoint', checkpoint.id, after, chunkPage);
      for (const json of page.chunks) restoreChunk(clients, json);
      after = page.next;
    }
    return { seq: checkpoint.seq, clients: [...clients.values()] };
  }

  async savePermalink(permalink: Permalink & { readonly hashes: Iterable<string> }): Promise<void> {
    const { id, createdAt, content, hashes } = permalink;
    const json = JSON.stringify(content);
    await this.#writer.flushed();
    await this.#thread.call('savePermalink', { id, createdAt, json }, [...new Set(hashes)]);
  }

  async readPermalink(id: string): Promise<Permalink | undefined> {
    const stored = await this.#thread.call('readPermalink', id);
    return stored && { id: stored.id, createdAt: stored.createdAt, content: JSON.parse(stored.json) };
  }

  applyRetention(): Promise<void> {
    const round = this.#retention.then(() => this.#runRetention());
    this.#retention = round.catch(() => {});
    return round;
  }

  async #runRetention(): Promise<void> {
    if (this.#closed || this.#writer.state.state === 'stopped') return;
    const { clock, retention } = this.#options;
    await runRetentionRound({
      thread: this.#thread,
      limits: { olderThan: clock.now() - retention.maxAgeMs, maxBytes: retention.maxBytes },
      checkpointBeingWritten: () => this.#checkpointBeingWritten,
      forgetBodies: (hashes) => {
        this.#writer.bodies.forget(hashes);
        return this.#writer.flushed();
      },
    });
    this.#totals = await this.#thread.call('totals');
  }

  #scheduleRetention(): { cancel(): void } {
    return this.#options.clock.setTimeout(async () => {
      try {
        await this.applyRetention();
        this.#retentionProblem = '';
      } catch (error) {
        this.#retentionProblem = error instanceof Error ? error.message : String(error);
      }
      if (!this.#closed) this.#retentionTimer = this.#scheduleRetention();
    }, retentionEveryMs);
  }

  stats(): RecorderStats {
    const { observations, bodies, sizeBytes, oldestAt, checkpointSeq } = this.#totals;
    const { ackedSeq, missed, state } = this.#writer;
    return {
      ...state,
      observations,
      bodies,
      sizeBytes,
      oldestAt,
      newestSeq: ackedSeq,
      checkpointSeq,
      missed,
      retentionProblem: this.#retentionProblem,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#retentionTimer.cancel();
    await Promise.allSettled([this.#checkpoints, this.#retention]);
    try {
      await this.#writer.close();
    } finally {
      await this.#thread.close();
      this.#lock.release();
    }
  }
}

function recordedOf({ seq, json }: StoredObservation): Recorded {
  return { ...(JSON.parse(json) as Observation), seq };
}
