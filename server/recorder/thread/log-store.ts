import { randomUUID } from 'node:crypto';
import type { Recorded } from '@/lib/observation/observation';
import { LogBlocks } from '../blocks/log-blocks';
import type { HeldBodies, heldOperations } from '../bodies/held-bodies';
import type { HistoryFilter, HistoryQuery } from '../reader/history-query';
import * as history from '../reader/read-history';
import { type ObservationQuery, readObservations } from '../reader/read-observations';
import { measureGrowth } from '../retention/measure-growth';
import { maxPins } from '../retention/pins';
import { planRetention } from '../retention/plan-retention';
import * as retention from '../retention/retention';
import { rollBase } from '../retention/roll-base';
import { ClientFollowers } from '../snapshots/client-followers';
import { readClientAt } from '../snapshots/read-client-at';
import { readText } from '../snapshots/stored-rows';
import type { LogStorage } from '../storage/log-storage';
import type {
  CheckpointChunk,
  GapTotals,
  PermalinkTotals,
  Pin,
  StoredPermalink,
} from '../storage/state-stores';
import type { WriteBatch } from '../writer/batch-builder';
import { writeBatches } from '../writer/write-batch';

export interface StoreTotals {
  readonly observations: number;
  readonly bodies: number;
  readonly sizeBytes: number;
  readonly oldestAt?: number | undefined;
  /** The highest seq that was ever assigned and is still recorded; the next observation has the next number. */
  readonly newestSeq: number;
  readonly checkpointSeq: number | null;
  /** Number of clients that should get a snapshot soon. */
  readonly snapshotsDue: number;
  /** Number of observations that are to be followed later (client-followers.ts). */
  readonly notFollowed: number;
  readonly gaps: GapTotals;
  readonly permalinks: PermalinkTotals;
}

/** With this many batches at once, writing takes precedence over snapshots. */
export const rushBatches = 3;

export type StoreOperations = ReturnType<typeof logStoreOf>;
export type ThreadOperations = StoreOperations & ReturnType<typeof heldOperations>;

export type StoreJobs = {
  readonly [K in keyof ThreadOperations]: {
    readonly input: Parameters<ThreadOperations[K]>;
    readonly output: ReturnType<ThreadOperations[K]>;
  };
};

/** All operations of the recorder's worker thread on the recording. `held` is kept when the file is reopened. */
export function logStoreOf(storage: LogStorage, held: HeldBodies) {
  const log = new LogBlocks(storage.blocks);
  const followers = new ClientFollowers(storage, log, log.newestSeq === 0);
  /** Counted once and updated afterwards, because counting a million rows after each batch is too slow. */
  let bodyCount = storage.bodies.count();
  let permalinks = storage.permalinks.totals();
  /** Changes when chunks of snapshots are deleted, because their numbers may be reused. */
  let chunksVersion = randomUUID();

  function totals(): StoreTotals {
    const { newestSeq: newestGapSeq, ...gaps } = storage.gaps.totals();
    return {
      observations: log.count,
      bodies: bodyCount,
      sizeBytes: storage.size().fileBytes,
      oldestAt: log.oldest?.at,
      newestSeq: Math.max(log.newestSeq, newestGapSeq, storage.checkpoints.highestSeq()),
      checkpointSeq: storage.checkpoints.newest()?.seq ?? null,
      snapshotsDue: followers.due,
      notFollowed: followers.behind,
      gaps,
      permalinks,
    };
  }

  return {
    totals,
    assertInPlace: () => storage.assertInPlace(),
    /** Writes all batches or none, in the order of their observations. */
    write(batches: readonly WriteBatch[]): {
      readonly totals: StoreTotals;
      readonly lost: readonly string[];
    } {
      let lost: readonly string[];
      try {
        if (batches.some(({ gaps }) => gaps.length > 0)) followers.forgetAll();
        if (batches.length >= rushBatches || followers.isOverdue) followers.leaveForLater();
        const follow = followers.isBehind ? ignore : (seen: Recorded) => followers.follow(seen);
        const written = writeBatches(storage, log, held, batches, follow);
        log.apply(written.change);
        bodyCount += written.bodies;
        lost = written.lost;
        followers.makeRoom();
        // The bodies are released last, because a write that fails is repeated.
        held.release(batches.flatMap(({ bodies }) => bodies.flatMap(({ pack }) => pack ?? [])));
      } catch (error) {
        // Observations that are to be followed later are still in the log.
        if (!followers.isBehind) followers.forgetAll();
        throw error;
      }
      return { totals: totals(), lost };
    },
    /** Stores some due snapshots, or follows some observations that were left for later. */
    storeSnapshots(): StoreTotals {
      if (followers.due > 0) followers.storeNext();
      else followers.followOn();
      return totals();
    },
    readBody: (hash: string, typeUrl: string | undefined) => storage.bodies.read(hash, typeUrl),
    readBodies: (hashes: readonly string[]) => storage.bodies.readMany(hashes),
    readObservations: (query: ObservationQuery, maxChars: number) => readObservations(log, query, maxChars),
    scanHistory: (query: HistoryQuery) => history.scanHistory(log, query),
    countSlice: (filter: HistoryFilter, afterSeq: number) => history.countSlice(log, filter, afterSeq),
    markSlice: (filter: HistoryFilter, afterSeq: number) => history.markSlice(log, filter, afterSeq),
    densitySlice: (filter: HistoryFilter, bucketMs: number, afterSeq: number) =>
      history.densitySlice(log, filter, bucketMs, afterSeq),
    readGaps: (from: number | undefined, to: number | undefined) => storage.gaps.read(from, to),
    readClientAt(clientId: string, at: number | { readonly seq: number }) {
      const found = readClientAt(storage, log, clientId, at);
      return found && { ...found, chunksVersion };
    },
    readChunks: (ids: readonly number[]) => ids.map((id) => readText(storage.chunks, id)),
    /** Returns undefined if there are `limit` permalinks already. */
    savePermalink(
      permalink: StoredPermalink,
      hashes: readonly string[],
      limit: number,
    ): StoreTotals | undefined {
      if (permalinks.count >= limit) return undefined;
      const sizeBytes = storage.permalinks.save(permalink, hashes);
      permalinks = { count: permalinks.count + 1, sizeBytes: permalinks.sizeBytes + sizeBytes };
      return totals();
    },
    readPermalink: (id: string) => storage.permalinks.read(id),
    beginCheckpoint: (seq: number, createdAt: number) => storage.checkpoints.begin(seq, createdAt),
    addCheckpointChunks: (id: number, chunks: readonly CheckpointChunk[]) =>
      storage.transaction(() => {
        storage.checkpoints.append(id, chunks);
        const seq = storage.checkpoints.seqOf(id);
        for (const { hashes } of chunks) for (const hash of hashes) storage.bodies.keep(hash, seq);
      }),
    completeCheckpoint(id: number): StoreTotals {
      storage.checkpoints.complete(id);
      return totals();
    },
    findNewestCheckpoint: () => storage.checkpoints.newest(),
    /** Joins pages until they have enough characters, because small clients have small chunks. */
    readCheckpoint(id: number, afterChunk: number, limit: number, enoughChars: number) {
      const chunks: string[] = [];
      let next: number | null = afterChunk;
      for (let chars = 0; next !== null && chars < enoughChars; ) {
        const page = storage.checkpoints.read(id, next, limit);
        for (const chunk of page.chunks) chars += chunk.length;
        chunks.push(...page.chunks);
        next = page.next;
      }
      return { chunks, next };
    },
    deleteStaleCheckpoints: (limit: number) => storage.checkpoints.deleteStale(limit),
    measureGrowth: (now: number) => ({
      hour: measureGrowth(log, storage.size().fileBytes, now, 3_600_000),
      day: measureGrowth(log, storage.size().fileBytes, now, 24 * 3_600_000),
    }),
    planRetention: (limits: retention.RetentionLimits) => planRetention(storage, log, limits),
    rollBase(clientId: string, untilSeq: number): void {
      followers.skipTo(untilSeq);
      if (!rollBase(storage, log, clientId, untilSeq)) return;
      followers.forget(clientId);
      chunksVersion = randomUUID();
    },
    deleteObservations(untilSeq: number): number {
      followers.skipTo(untilSeq);
      return retention.deleteObservations(storage, log, untilSeq);
    },
    readPins: () => storage.pins.list(),
    addPin: (pin: Omit<Pin, 'id'>) =>
      storage.pins.list().length < maxPins ? storage.pins.add(pin) : undefined,
    removePin: (id: number) => storage.pins.remove(id),
    findUnnamedBodies: (limit: number) => retention.findUnnamedBodies(storage, log, limit),
    deleteUnnamedBodies(ids: readonly number[]): number {
      const deleted = retention.deleteUnnamedBodies(storage, log, ids);
      bodyCount -= deleted;
      return deleted;
    },
    shrinkFile: (pages: number) => storage.shrink(pages),
    close: () => storage.close(),
    abandon: () => storage.abandon(),
  };
}

function ignore(): void {}
