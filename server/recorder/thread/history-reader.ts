import { by } from '@/lib/collections/compare';
import type { EpochMs } from '@/lib/xds/units';
import { rangeAfter, type Slice } from '../blocks/scan-log';
import type {
  ClientAt,
  HistoryBucket,
  HistoryFilter,
  HistoryMarks,
  HistoryQuery,
  HistoryRow,
} from '../reader/history-query';
import { MarkPairing } from '../reader/mark-columns';
import { maxAnswerChars, type ObservationQuery, type StoredObservation } from '../reader/read-observations';
import { ChunkReader } from '../snapshots/chunk-reader';
import type { Gap } from '../storage/state-stores';
import type { RecorderThread } from './recorder-thread';

/** Retention may delete chunks while they are read. */
const maxTries = 3;

/** Reads the log through the worker thread in slices, between which the thread writes. */
export class HistoryReader {
  readonly #chunks: ChunkReader;

  constructor(protected readonly thread: RecorderThread) {
    this.#chunks = new ChunkReader((ids) => thread.call('readChunks', ids));
  }

  /** Reads up to the limit, some MiB, or the end of the log. */
  async readObservationTexts(query: ObservationQuery, signal?: AbortSignal): Promise<StoredObservation[]> {
    const all: StoredObservation[] = [];
    let left = query;
    for (let chars = 0; ; ) {
      const input = [left, maxAnswerChars - chars] as [ObservationQuery, number];
      const { found, next, isFull } = await this.thread.run('readObservations', input, { signal });
      for (const observation of found) {
        all.push(observation);
        chars += observation.json.length;
      }
      if (isFull || next === null) return all;
      left = { ...rangeAfter(left, next), limit: query.limit - all.length };
    }
  }

  async readHistory(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryRow[]> {
    for (let left = query; ; ) {
      const { found, next } = await this.thread.run('scanHistory', [left], { signal });
      if (found.length > 0 || next === null) return found;
      left = rangeAfter(left, next);
    }
  }

  async countHistory(filter: HistoryFilter, signal?: AbortSignal): Promise<number> {
    let total = 0;
    await inSlices(
      (afterSeq) => this.thread.run('countSlice', [filter, afterSeq], { signal }),
      (count) => {
        total += count;
      },
    );
    return total;
  }

  async readMarks(filter: HistoryFilter, limit: number, signal?: AbortSignal): Promise<HistoryMarks> {
    const total = await this.countHistory(filter, signal);
    const pairing = new MarkPairing();
    if (total <= limit) {
      await inSlices(
        (afterSeq) => this.thread.run('markSlice', [filter, afterSeq], { signal }),
        (found) => pairing.add(found),
      );
    }
    return { marks: pairing.marks, total, gaps: await this.readGaps(filter.from, filter.to) };
  }

  async readDensity(filter: HistoryFilter, bucketMs: number, signal?: AbortSignal): Promise<HistoryBucket[]> {
    const buckets = new Map<string, HistoryBucket>();
    await inSlices(
      (afterSeq) => this.thread.run('densitySlice', [filter, bucketMs, afterSeq], { signal }),
      (found) => {
        for (const bucket of found) {
          const key = `${bucket.at} ${bucket.kind} ${bucket.typeUrl}`;
          const known = buckets.get(key);
          buckets.set(key, known ? { ...known, count: known.count + bucket.count } : bucket);
        }
      },
    );
    return [...buckets.values()].sort(by(({ at }) => at));
  }

  readGaps(from?: EpochMs, to?: EpochMs): Promise<Gap[]> {
    return this.thread.call('readGaps', from, to);
  }

  async readClientAt(
    clientId: string,
    at: EpochMs | { readonly seq: number },
    signal?: AbortSignal,
  ): Promise<ClientAt | undefined> {
    for (let tries = 1; ; tries++) {
      const found = await this.thread.run('readClientAt', [clientId, at], { signal });
      if (!found) return undefined;
      const { outline, chunksVersion, ...rest } = found;
      const client = await this.#chunks.readClient(outline, chunksVersion);
      if (client) return { client, seq: client.seq, ...rest };
      if (tries === maxTries) throw new Error(`the snapshot of ${clientId} went while it was read`);
    }
  }
}

async function inSlices<T>(
  read: (afterSeq: number) => Promise<Slice<T>>,
  take: (found: T) => void,
): Promise<void> {
  for (let afterSeq: number | null = 0; afterSeq !== null; ) {
    const { found, next }: Slice<T> = await read(afterSeq);
    take(found);
    afterSeq = next;
  }
}
