import { randomBytes } from 'node:crypto';
import type { ClientState } from '@/lib/observation/client-state';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { KnownSource } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import type { Body, Clock, Emission } from '@/server/observe';
import type { Growth } from '../growth';
import type {
  ClientAt,
  HistoryBucket,
  HistoryFilter,
  HistoryMarks,
  HistoryQuery,
  HistoryRow,
} from '../history-query';
import type { StoredText } from '../log-history';
import type { PermalinkTotals } from '../permalinks';
import type { Gap, GapTotals, Pin } from '../ranges';
import type { RecordingState } from './writer/log-writer';

export interface RecorderOptions {
  /** The directory is created if it is missing. One process at a time can use it. */
  readonly dataDir: string;
  /** The caller has locked the directory, and releases it. */
  readonly isLocked?: boolean;
  readonly clock: Clock;
  readonly retention: {
    readonly maxAgeMs: number;
    readonly maxBytes: number;
    /** Number of observations, by default unlimited. */
    readonly maxCount?: number;
  };
  /** Number of permalinks, by default unlimited. */
  readonly maxPermalinks?: number;
  /** Called when recording stopped or continues, also within append(), so it must be fast and not throw. */
  readonly onStateChange?: (state: RecordingState) => void;
  /** Called once, with a line that states file and remedy, if a part of the recording cannot be read. */
  readonly onDamage?: (message: string) => void;
  /** Gets sentences about the conversion of a recording of version 1 at the start. */
  readonly onConversion?: (sentence: string) => void;
  /** Observations are missed while more bytes than this are waiting to be written. */
  readonly maxQueueBytes?: number;
}

export interface RecorderStats extends RecordingState {
  readonly observations: number;
  readonly bodies: number;
  /** Size of the file without the write-ahead log. */
  readonly sizeBytes: number;
  readonly oldestAt?: EpochMs | undefined;
  /** All observations up to this seq are on the disk, or were missed. */
  readonly newestSeq: number;
  /** Retention deletes nothing after it, so checkpoints should be saved regularly. null if there is none. */
  readonly checkpointSeq: number | null;
  /** Observations of this process that did not reach the log. */
  readonly missed: number;
  /** Observations without snapshots yet, after many writes at once; clients at their time are read more slowly. */
  readonly notFollowed: number;
  /** Observations that are not written yet: thousands during a rush, and while recording is stopped. */
  readonly waiting: number;
  /** Observations that are missing in the log, including those of earlier processes. */
  readonly gaps: GapTotals;
  readonly limits: RecorderOptions['retention'];
  /** `limit` is absent if their number is not limited. */
  readonly permalinks: PermalinkTotals & { readonly limit?: number | undefined };
  /** Growth over the last hour and the last day, measured once a minute. Absent if nothing was recorded. */
  readonly growth: { readonly hour?: Growth | undefined; readonly day?: Growth | undefined };
  /** The latest failure of maintenance, as in "retention: disk I/O error"; empty if the last round succeeded. */
  readonly retentionProblem: string;
  /** States file and remedy of the first damage that was found since the start; empty if none was found. */
  readonly damage: string;
}

export interface ReadObservations {
  /** Both ends are excluded. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  readonly kinds?: readonly Observation['kind'][];
  readonly clientId?: string;
  /** Fewer observations are returned if they are large (8 MiB of JSON); none are returned only at the end. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export type StoredObservation = StoredText;

export interface Permalink {
  readonly id: string;
  readonly createdAt: EpochMs;
  readonly content: unknown;
}

/** Reads bodies on the main thread, or in a worker that opens the file itself and receives the pending bodies. */
export type BodySource = Pick<Recorder, 'file' | 'readBodies' | 'readPendingBodies' | 'noteDamage'>;

/**
 * The observation log and the store of bodies. append() returns at once, and a worker thread writes. Reads return what
 * is committed, so a caller that must read all appended observations awaits flushed() first. Bodies can be read before
 * they are written.
 */
export interface Recorder {
  /** The path of the recording; other threads read it with LogReader. */
  readonly file: string;
  /** Returns the seq of the observation: 1, 2, 3... across restarts. It never waits. */
  append(emission: Emission): number;
  /** Resolves with the acknowledged seq when all observations so far are on disk; rejects while stopped. */
  flushed(): Promise<number>;
  /**
   * Resolves at once if little is waiting to be written, else when half of it is written or recording stopped. It never
   * rejects. Callers that append many observations should await it.
   */
  keepPace(): Promise<void>;
  /** Without a type URL, the type may be any. undefined if the body is not stored, as after a gap or retention. */
  readBody(hash: string, typeUrl?: string): Promise<Body | undefined>;
  /** Unknown hashes are left out. From here on, promises reject with the reason of `signal` once it is aborted. */
  readBodies(hashes: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Body>>;
  /** Returns those bodies that are not in the file yet, in transferable buffers. */
  readPendingBodies(hashes: Iterable<string>): Promise<Body[]>;
  readObservations(query: ReadObservations): Promise<Recorded[]>;
  /** Returns observations as JSON, for callers that parse in slices or in another thread. */
  readObservationTexts(query: ReadObservations, signal?: AbortSignal): Promise<StoredObservation[]>;
  /** Returns matching observations by seq, with their pairs; fewer than the limit, but none only at the end. */
  readHistory(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryRow[]>;
  countHistory(filter: HistoryFilter, signal?: AbortSignal): Promise<number>;
  /** Returns all matching observations as marks, or only their number if there are more than `limit`. */
  readMarks(filter: HistoryFilter, limit: number, signal?: AbortSignal): Promise<HistoryMarks>;
  /** Counts observations by bucket of time, kind and type, oldest first. Empty buckets are left out. */
  readDensity(filter: HistoryFilter, bucketMs: number, signal?: AbortSignal): Promise<HistoryBucket[]>;
  /** Returns at most the newest 1,000 gaps, oldest first. */
  readGaps(from?: EpochMs, to?: EpochMs): Promise<Gap[]>;
  /**
   * Returns the fold of one client up to the newest observation made until a time, or undefined if the log has no
   * observation of the client until then.
   */
  readClientAt(
    clientId: string,
    at: EpochMs | { readonly seq: number },
    signal?: AbortSignal,
  ): Promise<ClientAt | undefined>;
  /** Yields everything after `seq`, oldest first, in pages that do not block the event loop. */
  replayAfter(seq: number): AsyncIterable<Recorded[]>;
  /** Stores the fold up to `seq` as it is at the call, and then deletes the previous checkpoint. */
  saveCheckpoint(seq: number, clients: Iterable<ClientState>, sources?: Iterable<KnownSource>): Promise<void>;
  /** `onRead` is called with the number of clients that are read so far. */
  loadCheckpoint(onRead?: (clients: number) => void): Promise<
    | {
        readonly seq: number;
        readonly clients: readonly ClientState[];
        readonly sources: readonly KnownSource[];
      }
    | undefined
  >;
  /** The sources of the checkpoint, and its seq. */
  findSources(): Promise<{ readonly seq: number; readonly sources: readonly KnownSource[] } | undefined>;
  /** Retention never deletes the bodies of `hashes`. Resolves with false if there are too many permalinks. */
  savePermalink(permalink: Permalink & { readonly hashes: Iterable<string> }): Promise<boolean>;
  readPermalink(id: string): Promise<Permalink | undefined>;
  /** Returns some permalinks in a fixed order, from the first id after one on, with the bodies that each holds. */
  listPermalinks(
    after: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly hashes: readonly string[] }[]>;
  /** Retention keeps the blocks of the range from now on. undefined if there are too many pins. */
  pin(range: Omit<Pin, 'id'>): Promise<Pin | undefined>;
  /** Returns whether the pin existed. The next round of retention may delete its blocks. */
  unpin(id: number): Promise<boolean>;
  /** Returns the pins in the order in which their ranges begin. */
  pins(): Promise<Pin[]>;
  /** Must be called by readers in other threads that found damage. */
  noteDamage(message: string): void;
  /** Rejects if the files or the data directory are no longer at their paths, so that writes are lost. */
  confirmInPlace(): Promise<void>;
  /** Resolves when the recording is within its limits, as far as possible. A timer calls it once a minute. */
  applyRetention(): Promise<void>;
  stats(): RecorderStats;
  /** Writes what is waiting, and releases the data directory. Rejects if something could not be written. */
  close(): Promise<void>;
}

/** 128 random bits, so that a permalink cannot be guessed. */
export function newPermalinkId(): string {
  return randomBytes(16).toString('base64url');
}

export { isDamaged } from './damaged-file';
export { RecorderError } from './recorder-error';
