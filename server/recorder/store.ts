import * as checkpoint from './checkpoint';
import type { HistoryFilter, HistoryQuery } from './history-query';
import * as permalinks from './permalinks';
import { readBodies, readBody } from './read-bodies';
import { readClientAt } from './read-client-at';
import { readGaps } from './read-gaps';
import * as history from './read-history';
import { type ObservationQuery, readObservations } from './read-observations';
import * as retention from './retention';
import { prepareSchema } from './schema';
import { SqlFile } from './sql-file';
import { type WriteBatch, writeBatch } from './write-batch';

export interface StoreTotals {
  readonly observations: number;
  readonly bodies: number;
  readonly sizeBytes: number;
  readonly oldestAt: number | null;
  /** The highest seq ever given out that left a trace; the next one follows it. */
  readonly newestSeq: number;
  readonly checkpointSeq: number | null;
}

/** Everything that the worker does, by name; recorder.ts calls it through RecorderThread. */
export type StoreOperations = ReturnType<typeof openStore>;

export function openStore(file: string) {
  const sql = new SqlFile(file);
  try {
    prepareSchema(sql, file);
  } catch (error) {
    sql.close();
    throw error;
  }

  // Counted once and kept in step: count(*) of a million rows is too slow to ask after each batch.
  const counts = {
    observations: sql.number('SELECT count(*) AS n FROM observations') ?? 0,
    bodies: sql.number('SELECT count(*) AS n FROM bodies') ?? 0,
  };

  function totals(): StoreTotals {
    const newest = [
      'SELECT max(seq) AS n FROM observations',
      'SELECT max(to_seq) AS n FROM gaps',
      'SELECT max(seq) AS n FROM checkpoints',
    ].map((text) => sql.number(text) ?? 0);
    return {
      ...counts,
      sizeBytes: retention.fileBytes(sql),
      oldestAt: sql.number('SELECT at AS n FROM observations ORDER BY seq LIMIT 1'),
      newestSeq: Math.max(...newest),
      checkpointSeq: checkpoint.findNewestCheckpoint(sql)?.seq ?? null,
    };
  }

  return {
    totals,
    write(batch: WriteBatch): StoreTotals {
      const written = writeBatch(sql, batch);
      counts.observations += written.observations;
      counts.bodies += written.bodies;
      return totals();
    },
    readBody: (hash: string, typeUrl: string | undefined) => readBody(sql, hash, typeUrl),
    readBodies: (hashes: readonly string[]) => readBodies(sql, hashes),
    readObservations: (query: ObservationQuery) => readObservations(sql, query),
    scanHistory: (query: HistoryQuery) => history.scanHistory(sql, query),
    countSlice: (filter: HistoryFilter, afterSeq: number) => history.countSlice(sql, filter, afterSeq),
    markSlice: (filter: HistoryFilter, afterSeq: number) => history.markSlice(sql, filter, afterSeq),
    densitySlice: (filter: HistoryFilter, bucketMs: number, afterSeq: number) =>
      history.densitySlice(sql, filter, bucketMs, afterSeq),
    readGaps: (from: number | undefined, to: number | undefined) => readGaps(sql, from, to),
    readClientAt: (clientId: string, at: number | { readonly seq: number }) =>
      readClientAt(sql, clientId, at),
    savePermalink: (permalink: permalinks.StoredPermalink, hashes: readonly string[]) =>
      permalinks.savePermalink(sql, permalink, hashes),
    readPermalink: (id: string) => permalinks.readPermalink(sql, id),
    beginCheckpoint: (seq: number, createdAt: number) => checkpoint.beginCheckpoint(sql, seq, createdAt),
    addCheckpointChunks: (id: number, chunks: readonly checkpoint.CheckpointChunk[]) =>
      checkpoint.addCheckpointChunks(sql, id, chunks),
    completeCheckpoint(id: number): StoreTotals {
      checkpoint.completeCheckpoint(sql, id);
      return totals();
    },
    findNewestCheckpoint: () => checkpoint.findNewestCheckpoint(sql),
    readCheckpoint: (id: number, afterChunk: number, limit: number) =>
      checkpoint.readCheckpoint(sql, id, afterChunk, limit),
    deleteStaleCheckpoints: (limit: number) => checkpoint.deleteStaleCheckpoints(sql, limit),
    deleteOldObservations(limits: retention.RetentionLimits, limit: number): number {
      const deleted = retention.deleteOldObservations(sql, limits, limit);
      counts.observations -= deleted;
      return deleted;
    },
    findUnnamedBodies: (limit: number) => retention.findUnnamedBodies(sql, limit),
    deleteUnnamedBodies(ids: readonly number[]): number {
      const deleted = retention.deleteUnnamedBodies(sql, ids);
      counts.bodies -= deleted;
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
