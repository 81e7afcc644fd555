import type { Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { type Body, systemClock } from '@/server/observe';
import { unpackBodies } from '@/server/packed-bodies';
import type { CheckpointStore } from '../checkpoints';
import type { HistoryFilter, HistoryQuery } from '../history-query';
import { ObservationLog } from '../log';
import type { PermalinkTotals, StoredPermalink } from '../permalinks';
import type { GapTotals, Pin } from '../ranges';
import type { RetentionLimits } from '../retention';
import type { StoreDatabase } from '../schema';
import type { OpenFiles } from './open-files';
import type { ReadObservations } from './recorder';
import type { WriteBatch } from './writer/batch-builder';

export interface StoreTotals {
  readonly observations: number;
  readonly bodies: number;
  readonly sizeBytes: number;
  readonly oldestAt?: number | undefined;
  /** The highest seq that was ever assigned and is still recorded; the next observation has the next number. */
  readonly newestSeq: number;
  readonly checkpointSeq: number | null;
  readonly gaps: GapTotals;
  readonly permalinks: PermalinkTotals;
}

export interface LogStoreOptions {
  /** Lets other operations work between two steps of retention. */
  readonly pause: () => Promise<void>;
  /** Other processes write as well. */
  readonly isShared?: boolean;
}

export type LogStore = Awaited<ReturnType<typeof openLogStore>>;

export interface OpenRecording {
  readonly operations: LogStore;
  /** The files of the recording as of its opening. */
  readonly files: OpenFiles;
  close(): Promise<void>;
  /** Closes without writing, after a failure. */
  abandon(): Promise<void>;
}

/**
 * What the recorder asks of a store, of either engine. Arguments and results are plain data, because the store is used in a
 * thread of its own.
 */
export async function openLogStore(database: StoreDatabase, { pause, isShared }: LogStoreOptions) {
  const log = new ObservationLog(database, systemClock, pause);
  const count = async () => ({
    observations: await log.countHistory({}),
    bodies: await log.countBodies(),
  });
  /** Counted once and updated afterwards, because counting a million rows after each batch is too slow. */
  let counts = await count();

  /** What batches change is updated with each of them. Absent after anything else was changed: all of it is read then. */
  let known: StoreTotals | undefined;

  async function totals(): Promise<StoreTotals> {
    if (isShared === true) counts = await count();
    const { gaps, newestSeq, checkpointSeq, oldestAt } = await log.readHeads();
    const { newestSeq: newestGapSeq, ...gapTotals } = gaps;
    known = {
      ...counts,
      sizeBytes: (await database.size()).bytes,
      oldestAt,
      newestSeq: Math.max(newestSeq, newestGapSeq, checkpointSeq),
      checkpointSeq: checkpointSeq === 0 ? null : checkpointSeq,
      gaps: gapTotals,
      permalinks: await log.totalPermalinks(),
    };
    return known;
  }

  return {
    totals,
    /** Writes all batches or none. */
    async write(batches: readonly WriteBatch[]): Promise<StoreTotals> {
      const lines = batches.flatMap(linesOf);
      const seqs = batches.flatMap((batch) => [...batch.seqs]);
      const observations = lines.map((line, index): Recorded => {
        const observation = JSON.parse(line);
        observation.seq = seqs[index];
        return observation;
      });
      const bodies = batches.flatMap((batch) => unpackBodies(batch.bodies));
      const gaps = batches.flatMap((batch) => batch.gaps);
      const written = await log.write({ observations, lines, bodies, gaps });
      counts.observations += written.observations.length;
      counts.bodies += written.bodies;
      const newestSeq = written.observations.at(-1)?.seq;
      if (known?.oldestAt === undefined || gaps.length > 0 || newestSeq === undefined) return totals();
      known = { ...known, ...counts, newestSeq, sizeBytes: (await database.size()).bytes };
      return known;
    },
    async readBodies(hashes: readonly string[], typeUrl?: string): Promise<Body[]> {
      return [...(await log.readBodies(hashes, typeUrl)).values()];
    },
    readObservationTexts: (query: ReadObservations) => log.readObservationTexts(query),
    readHistory: (query: HistoryQuery) => log.readHistory(query),
    countHistory: (filter: HistoryFilter) => log.countHistory(filter),
    readMarks: (filter: HistoryFilter, limit: number) => log.readMarks(filter, limit),
    readDensity: (filter: HistoryFilter, bucketMs: number) => log.readDensity(filter, bucketMs),
    readGaps: (from?: number, to?: number) => log.readGaps(from, to),
    addPin: (pin: Omit<Pin, 'id'>) => log.pin(pin),
    removePin: (id: number) => log.unpin(id),
    readPins: () => log.pins(),
    readStoredClientAt: (clientId: string, at: EpochMs | { readonly seq: number }) =>
      log.readStoredClientAt(clientId, at),
    /** Returns undefined if there are `limit` permalinks already. */
    savePermalink: async (permalink: StoredPermalink, hashes: readonly string[], limit: number) =>
      (await log.savePermalink(permalink, hashes, limit)) && totals(),
    readPermalinkTotals: () => log.totalPermalinks(),
    readPermalink: (id: string) => log.readPermalink(id),
    listPermalinks: (after: string, limit: number) => log.listPermalinks(after, limit),
    async measureGrowth(now: EpochMs) {
      const { oldestAt, sizeBytes: bytes } = await totals();
      const measure = (windowMs: number) => log.measureGrowth({ ...counts, oldestAt, bytes }, now, windowMs);
      return { hour: await measure(3_600_000), day: await measure(24 * 3_600_000) };
    },
    async deleteOldest(limits: RetentionLimits, isFirst: boolean): Promise<number> {
      const deleted = await log.retention.deleteOldest(limits, isFirst);
      counts.observations -= deleted;
      known = undefined;
      return deleted;
    },
    findUnnamedBodies: (limit: number) => log.retention.findUnnamedBodies(limit),
    async deleteUnnamedBodies(hashes: readonly string[]): Promise<number> {
      const deleted = await log.retention.deleteUnnamedBodies(hashes);
      counts.bodies -= deleted;
      return deleted;
    },
    /** Returns some free space to the file system. Returns whether there is more. */
    shrink: () => log.retention.shrink(),
    /** Folds or stores some of the clients. Returns whether there is more to do, and the observations that are not folded yet. */
    async followClients(): Promise<{ readonly isMore: boolean; readonly notFollowed: number }> {
      const isMore = await log.followClients();
      const newestSeq = await log.readNewestSeq();
      return { isMore, notFollowed: newestSeq - (log.followedSeq ?? newestSeq) };
    },
    ...checkpointsOf(log.checkpoints, () => {
      known = undefined;
    }),
  };
}

/** The operations of Checkpoints, as functions that can be called by name. `onComplete`: there is another checkpoint now. */
function checkpointsOf(store: CheckpointStore, onComplete: () => void): CheckpointStore {
  return {
    beginCheckpoint: () => store.beginCheckpoint(),
    addToCheckpoint: (seq, clients) => store.addToCheckpoint(seq, clients),
    async completeCheckpoint(seq, more) {
      await store.completeCheckpoint(seq, more);
      onComplete();
    },
    deleteStaleCheckpoints: () => store.deleteStaleCheckpoints(),
    findCheckpoint: () => store.findCheckpoint(),
    readCheckpoint: (seq, after, limit) => store.readCheckpoint(seq, after, limit),
  };
}

function linesOf({ lines }: WriteBatch): string[] {
  const all = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8').split('\n');
  all.pop();
  return all;
}
