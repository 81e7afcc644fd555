import { randomBytes } from 'node:crypto';
import type { ClientState } from '@/lib/observation/client-state';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { KnownSource } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import type { Body, Clock, Emission } from '@/server/observe';
import type {
  ClientAt,
  HistoryBucket,
  HistoryFilter,
  HistoryMarks,
  HistoryQuery,
  HistoryRow,
} from './reader/history-query';
import type { StoredObservation } from './reader/read-observations';
import type { Growth } from './retention/measure-growth';
import type { Gap, GapTotals, Pin } from './storage/state-stores';
import type { RecordingState } from './writer/log-writer';

export interface RecorderOptions {
  /** Made when it is missing. Held by one process at a time. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly retention: {
    readonly maxAgeMs: number;
    readonly maxBytes: number;
    /** Of observations; not there: any number. */
    readonly maxCount?: number;
  };
  /** Recording stopped, or goes on again. Called from append too: must be short and not throw. */
  readonly onStateChange?: (state: RecordingState) => void;
  /** A part of the recording cannot be read; called once, with a line that names the file and the remedy. */
  readonly onDamage?: (message: string) => void;
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
  /** Observations that came in a rush and have no snapshots yet: until then a client at their time is read more slowly. */
  readonly notFollowed: number;
  /** Observations on their way to the disk: thousands only in a rush, and while recording is stopped. */
  readonly waiting: number;
  /** What the log is known to lack, whichever process missed it. */
  readonly gaps: GapTotals;
  /** What retention keeps to. */
  readonly limits: RecorderOptions['retention'];
  /** Over the last hour and day; measured once a minute. null: nothing was recorded in that time. */
  readonly growth: { readonly hour: Growth | null; readonly day: Growth | null };
  /** What of the log's upkeep failed newest, and why: as in "retention: disk I/O error". Empty when nothing did. */
  readonly retentionProblem: string;
  /** What was found damaged first since the start: names the file and the remedy. Empty when nothing was. */
  readonly damage: string;
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
/** Where bodies are read: by the main thread, or in a worker that opens the file itself and is given the pending ones. */
export type BodySource = Pick<Recorder, 'file' | 'readBodies' | 'findPendingBodies' | 'noteDamage'>;

export interface Recorder {
  /** Where the log is, for who reads it in a thread of their own (log-reader.ts). */
  readonly file: string;
  /** Gives the observation its place in the log: 1, 2, 3... without end over restarts. Never waits. */
  append(emission: Emission): number;
  /** Resolves with the acknowledged seq when all appended so far is on the disk; rejects while recording is stopped. */
  flushed(): Promise<number>;
  /**
   * For who brings much: resolves at once while little is on its way to the disk, else when half of it is there, or will
   * not be for a while. Never rejects.
   */
  keepPace(): Promise<void>;
  /** Without a type URL: under whichever it was seen first. undefined is "not stored", as after a gap or retention. */
  readBody(hash: string, typeUrl?: string): Promise<Body | undefined>;
  /** By hash; unknown ones are left out. Here and below: rejects with the reason of `signal` once it is aborted. */
  readBodies(hashes: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Body>>;
  /**
   * Of these, the bodies that are not in the file yet, as they can be sent to a thread; all others are found there by whoever
   * reads it afterwards.
   */
  findPendingBodies(hashes: Iterable<string>): Body[];
  readObservations(query: ReadObservations): Promise<Recorded[]>;
  /** The same unparsed, for who parses where it holds nobody up. */
  readObservationTexts(query: ReadObservations, signal?: AbortSignal): Promise<StoredObservation[]>;
  /**
   * What matches, by seq, with what pairs it. Fewer than asked for may come; none only at the end.
   */
  readHistory(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryRow[]>;
  countHistory(filter: HistoryFilter, signal?: AbortSignal): Promise<number>;
  /** Every event that matches, as little as a drawing needs; none, but their number, when there are more than `limit`. */
  readMarks(filter: HistoryFilter, limit: number, signal?: AbortSignal): Promise<HistoryMarks>;
  /** How many of which kind and type in which slice of time; empty slices are left out. Oldest first. */
  readDensity(filter: HistoryFilter, bucketMs: number, signal?: AbortSignal): Promise<HistoryBucket[]>;
  /** What could not be recorded between two moments, oldest first; at most the newest 1,000. */
  readGaps(from?: EpochMs, to?: EpochMs): Promise<Gap[]>;
  /**
   * The fold of everything up to a moment, of one client. A moment means everything up to the newest observation that
   * was made by then. undefined: the log reports nothing of the client up to there.
   */
  readClientAt(
    clientId: string,
    at: EpochMs | { readonly seq: number },
    signal?: AbortSignal,
  ): Promise<ClientAt | undefined>;
  /** Everything after `seq`, oldest first, in pieces that do not hold up the event loop. */
  replayAfter(seq: number): AsyncIterable<Recorded[]>;
  /** Keeps the fold up to `seq` as it is at the call, and lets go of the one before. `clients` may change afterwards. */
  saveCheckpoint(seq: number, clients: Iterable<ClientState>, sources?: Iterable<KnownSource>): Promise<void>;
  loadCheckpoint(): Promise<{ seq: number; clients: ClientState[]; sources: KnownSource[] } | undefined>;
  /** Bodies with these hashes are exempt from retention from now on. */
  savePermalink(permalink: Permalink & { readonly hashes: Iterable<string> }): Promise<void>;
  readPermalink(id: string): Promise<Permalink | undefined>;
  /** Retention leaves the range alone from now on: in blocks, so a little more. undefined: there are too many pins. */
  pin(range: Omit<Pin, 'id'>): Promise<Pin | undefined>;
  /** Whether there was one. What it kept goes with the next round of retention, if the limits say so. */
  unpin(id: number): Promise<boolean>;
  /** By the beginning of their ranges. */
  pins(): Promise<Pin[]>;
  /** For who reads the file beside the recorder, and found that a part of it cannot be read. */
  noteDamage(message: string): void;
  /** Rejects when the files or the data dir are no longer at their paths: what is written there then is lost. */
  confirmInPlace(): Promise<void>;
  /** Happens by itself once a minute; resolves when the recording is within its limits, as far as it can be. */
  applyRetention(): Promise<void>;
  stats(): RecorderStats;
  /** Writes what waits and lets go of the data dir. Rejects when something could not be written. */
  close(): Promise<void>;
}

/** 128 random bits, so that a permalink cannot be guessed. */
export function newPermalinkId(): string {
  return randomBytes(16).toString('base64url');
}

export { isDamaged } from './damaged-file';
export { RecorderError } from './recorder-error';
