import { randomUUID } from 'node:crypto';
import type { Recorded } from '@/lib/observation/observation';
import { LogBlocks } from '../blocks/log-blocks';
import { readTexts } from '../blocks/stored-rows';
import { newBodyTouches } from '../bodies/body-touches';
import { readBodies, readBody } from '../bodies/read-bodies';
import * as permalinks from '../permalinks/permalinks';
import type { HistoryFilter, HistoryQuery } from '../reader/history-query';
import { readClientAt } from '../reader/read-client-at';
import { countGaps, type GapTotals, readGaps } from '../reader/read-gaps';
import * as history from '../reader/read-history';
import { type ObservationQuery, readObservations } from '../reader/read-observations';
import { measureGrowth } from '../retention/measure-growth';
import * as pins from '../retention/pins';
import { planRetention } from '../retention/plan-retention';
import * as retention from '../retention/retention';
import * as checkpoint from '../snapshots/checkpoint';
import { ClientFollowers } from '../snapshots/client-followers';
import type { WriteBatch } from '../writer/batch-builder';
import { rollBase } from '../writer/roll-base';
import { writeBatches } from '../writer/write-batch';
import { explain, openDatabase } from './open-database';
import { OpenFiles } from './open-files';
import { prepareSchema } from './schema';
import type { SqlFile } from './sql-file';

export interface StoreTotals {
  readonly observations: number;
  readonly bodies: number;
  readonly sizeBytes: number;
  readonly oldestAt: number | null;
  /** The highest seq ever given out that left a trace; the next one follows it. */
  readonly newestSeq: number;
  readonly checkpointSeq: number | null;
  /** Clients of which a snapshot should be stored soon. */
  readonly snapshotsDue: number;
  /** Observations that no snapshot can hold yet: they were left for later (see client-followers.ts). */
  readonly notFollowed: number;
  readonly gaps: GapTotals;
}

/** So many batches at once come faster than snapshots can be made beside writing: writing goes first. */
export const rushBatches = 3;

/** Everything that the worker does, by name; recorder.ts calls it through RecorderThread. */
export type StoreOperations = ReturnType<typeof openStore>;

/** Each operation of the store is a kind of job. */
export type StoreJobs = {
  readonly [K in keyof StoreOperations]: {
    readonly input: Parameters<StoreOperations[K]>;
    readonly output: ReturnType<StoreOperations[K]>;
  };
};

/** Needed at each start, and small. */
const smallTables = ['blocks', 'gaps', 'pins', 'checkpoints', 'waiting'];

/** Throws damagedFile(), or a RecorderError of one line. `wasOpen`: see DatabaseOptions. */
export function openStore(file: string, wasOpen = false) {
  const sql = openDatabase({ file, wasOpen, smallTables, prepare: (opened) => prepareSchema(opened, file) });
  try {
    return storeOf(sql, file);
  } catch (error) {
    sql.close();
    throw explain(file, error);
  }
}

function storeOf(sql: SqlFile, file: string) {
  const files = new OpenFiles([file, `${file}-wal`, `${file}-shm`]);
  const log = new LogBlocks(sql);
  const touches = newBodyTouches();
  const followers = new ClientFollowers(sql, log, log.newestSeq === 0);
  // Counted once and kept in step: count(*) of a million rows is too slow to ask after each batch.
  let bodyCount = sql.number('SELECT count(*) AS n FROM bodies') ?? 0;
  /** Another one after chunks of snapshots went: then the same number may be another chunk. */
  let chunksVersion = randomUUID();

  function totals(): StoreTotals {
    const gaps = countGaps(sql);
    const newestCheckpoint = sql.number('SELECT max(seq) AS n FROM checkpoints') ?? 0;
    return {
      observations: log.count,
      bodies: bodyCount,
      sizeBytes: retention.fileBytes(sql),
      oldestAt: log.oldest?.at ?? null,
      newestSeq: Math.max(log.newestSeq, gaps.newestSeq, newestCheckpoint),
      checkpointSeq: checkpoint.findNewestCheckpoint(sql)?.seq ?? null,
      snapshotsDue: followers.due,
      notFollowed: followers.behind,
      gaps: { count: gaps.count, observations: gaps.observations, newestAt: gaps.newestAt },
    };
  }

  return {
    totals,
    assertInPlace(): void {
      files.assertInPlace();
    },
    /** All or nothing; in the order of their observations. */
    write(batches: readonly WriteBatch[]): StoreTotals {
      try {
        if (batches.some(({ gaps }) => gaps.length > 0)) followers.forgetAll();
        if (batches.length >= rushBatches || followers.isOverdue) followers.leaveForLater();
        const follow = followers.isBehind ? ignore : (seen: Recorded) => followers.follow(seen);
        const { change, bodies } = writeBatches(sql, log, touches, batches, follow);
        log.apply(change);
        bodyCount += bodies;
        followers.makeRoom();
      } catch (error) {
        touches.clear();
        // What is left for later was not followed, and need not be forgotten.
        if (!followers.isBehind) followers.forgetAll();
        throw error;
      }
      return totals();
    },
    /** Writes some snapshots that are due, or follows some of what was left for later. */
    storeSnapshots(): StoreTotals {
      if (followers.due > 0) followers.storeNext();
      else followers.followOn();
      return totals();
    },
    readBody: (hash: string, typeUrl: string | undefined) => readBody(sql, hash, typeUrl),
    readBodies: (hashes: readonly string[]) => readBodies(sql, hashes),
    readObservations: (query: ObservationQuery, maxChars: number) => readObservations(log, query, maxChars),
    scanHistory: (query: HistoryQuery) => history.scanHistory(log, query),
    countSlice: (filter: HistoryFilter, afterSeq: number) => history.countSlice(log, filter, afterSeq),
    markSlice: (filter: HistoryFilter, afterSeq: number) => history.markSlice(log, filter, afterSeq),
    densitySlice: (filter: HistoryFilter, bucketMs: number, afterSeq: number) =>
      history.densitySlice(log, filter, bucketMs, afterSeq),
    readGaps: (from: number | undefined, to: number | undefined) => readGaps(sql, from, to),
    readClientAt(clientId: string, at: number | { readonly seq: number }) {
      const found = readClientAt(sql, log, clientId, at);
      return found && { ...found, chunksVersion };
    },
    readChunks: (ids: readonly number[]) => readTexts(sql, ids),
    savePermalink: (permalink: permalinks.StoredPermalink, hashes: readonly string[]) =>
      permalinks.savePermalink(sql, permalink, hashes),
    readPermalink: (id: string) => permalinks.readPermalink(sql, id),
    beginCheckpoint: (seq: number, createdAt: number) => checkpoint.beginCheckpoint(sql, seq, createdAt),
    addCheckpointChunks: (id: number, chunks: readonly checkpoint.CheckpointChunk[]) =>
      checkpoint.addCheckpointChunks(sql, touches, id, chunks),
    completeCheckpoint(id: number): StoreTotals {
      checkpoint.completeCheckpoint(sql, id);
      return totals();
    },
    findNewestCheckpoint: () => checkpoint.findNewestCheckpoint(sql),
    /** Pages of so many chunks, joined until they have so many characters: small clients have small chunks. */
    readCheckpoint(id: number, afterChunk: number, limit: number, enoughChars: number) {
      const chunks: string[] = [];
      let next: number | null = afterChunk;
      for (let chars = 0; next !== null && chars < enoughChars; ) {
        const page = checkpoint.readCheckpoint(sql, id, next, limit);
        for (const chunk of page.chunks) chars += chunk.length;
        chunks.push(...page.chunks);
        next = page.next;
      }
      return { chunks, next };
    },
    deleteStaleCheckpoints: (limit: number) => checkpoint.deleteStaleCheckpoints(sql, limit),
    measureGrowth: (now: number) => ({
      hour: measureGrowth(log, retention.fileBytes(sql), now, 3_600_000),
      day: measureGrowth(log, retention.fileBytes(sql), now, 24 * 3_600_000),
    }),
    planRetention: (limits: retention.RetentionLimits) => planRetention(sql, log, limits),
    rollBase(clientId: string, untilSeq: number): void {
      followers.skipTo(untilSeq);
      if (!rollBase(sql, log, touches, clientId, untilSeq)) return;
      followers.forget(clientId);
      chunksVersion = randomUUID();
    },
    deleteObservations(untilSeq: number): number {
      followers.skipTo(untilSeq);
      return retention.deleteObservations(sql, log, untilSeq);
    },
    readPins: () => pins.readPins(sql),
    addPin: (pin: Omit<pins.Pin, 'id'>) => pins.addPin(sql, pin),
    removePin: (id: number) => pins.removePin(sql, id),
    findUnnamedBodies: (limit: number) => retention.findUnnamedBodies(sql, log, limit),
    deleteUnnamedBodies(ids: readonly number[]): number {
      const deleted = retention.deleteUnnamedBodies(sql, log, ids);
      bodyCount -= deleted;
      return deleted;
    },
    shrinkFile: (pages: number) => retention.shrinkFile(sql, pages),
    /** The WAL goes back into the file, so that a closed recording is one file. */
    close(): void {
      sql.all('PRAGMA wal_checkpoint(TRUNCATE)');
      sql.close();
    },
    /** Lets go of the file after a failure, without touching it. */
    abandon(): void {
      sql.close();
    },
  };
}

function ignore(): void {}
