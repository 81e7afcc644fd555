import type { NumberedSeries } from '@/lib/load/load-excerpt';
import type { LoadSeries } from '@/lib/load/load-series';
import type { EpochMs } from '@/lib/xds/units';
import { isNewBatch, newestOfCollector } from '../collectors';
import { deflateBytes, inflateBytes } from '../deflate';
import { compareFences, type Fence } from '../leases';
import type { StoreDatabase, StoreTransaction } from '../schema';
import { textOfBytes } from '../text-bytes';
import { expectAll } from './expect-all';

/** Values with what their series are, so that they can be recorded by another process. */
export interface PackedLoad {
  /** Packed by packSeries(). */
  readonly series: Uint8Array;
  /** Values of these series (server/live/load/load-block.ts). */
  readonly bytes: Uint8Array;
}

export interface ForwardedBlock {
  /** Under which fences its values were observed; a source that nobody else can have has none. */
  readonly fences: readonly Fence[];
  /** Returns the block without what was observed under these of its fences. */
  without(rejected: ReadonlySet<Fence>): PackedLoad;
}

export function packSeries(series: readonly NumberedSeries[]): Uint8Array {
  return deflateBytes(JSON.stringify(series.map(({ id, series: each }) => [id, each])));
}

export function unpackSeries(packed: Uint8Array): Map<number, LoadSeries> {
  return new Map(JSON.parse(textOfBytes(inflateBytes(packed))) as [number, LoadSeries][]);
}

/** Load reports that collectors forward into a shared store. They wait there for the process that records load. */
export class WaitingLoad {
  readonly #store: StoreDatabase;

  constructor(store: StoreDatabase) {
    this.#store = store;
  }

  /** The number of the newest block of a collector, or 0 before its first. */
  newestOf(collector: string): Promise<number> {
    return newestOfCollector(this.#store.db, nameOf(collector));
  }

  /** Load before this time is copied; 0 if it was not begun to copy it, or if the collector has forwarded all of it. */
  copiedUntil(collector: string): Promise<EpochMs> {
    return newestOfCollector(this.#store.db, copyOf(collector));
  }

  /** What the recording of the collector has will be copied by copy(). Blocks up to `newest` are not to be forwarded. */
  async beginCopy(collector: string, newest: number): Promise<void> {
    await this.#store.db.transaction().execute(async (trx) => {
      await isNewBatch(trx, { collector: nameOf(collector), n: newest });
      await isNewBatch(trx, { collector: copyOf(collector), n: 1 });
    });
  }

  /** Stores the load before `until` that is not stored yet. */
  copy(collector: string, until: EpochMs, load?: PackedLoad): Promise<void> {
    return this.#store.db.transaction().execute(async (trx) => {
      if (!(await isNewBatch(trx, { collector: copyOf(collector), n: until })) || load === undefined) return;
      await trx.insertInto('load_waiting').values(load).execute();
    });
  }

  /**
   * Stores blocks in one transaction, once: `n` is the number of the last one. What was observed under a fence that is outdated
   * is left out.
   */
  add(collector: string, n: number, blocks: readonly ForwardedBlock[]): Promise<void> {
    return this.#store.db.transaction().execute(async (trx) => {
      const fences = blocks.flatMap((block) => block.fences);
      const accepted = await compareFences(trx, fences);
      const rejected = new Set(fences.filter((_, index) => accepted[index] === false));
      if (!(await isNewBatch(trx, { collector: nameOf(collector), n }))) return;
      for (const block of blocks)
        await trx.insertInto('load_waiting').values(block.without(rejected)).execute();
    });
  }
}

/** Returns some of what waits, the oldest first. */
export function readWaiting(
  { db }: Pick<StoreDatabase, 'db'>,
  limit: number,
): Promise<({ readonly id: number } & PackedLoad)[]> {
  return db.selectFrom('load_waiting').selectAll().orderBy('id').limit(limit).execute();
}

/** Throws if another process has removed some of them. */
export async function removeWaiting(trx: StoreTransaction, ids: readonly number[]): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('load_waiting')
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  expectAll('waiting blocks', ids.length, numDeletedRows);
}

/** The batches of its observations have the name of the collector alone. */
function nameOf(collector: string): string {
  return `${collector}/load`;
}

function copyOf(collector: string): string {
  return `${nameOf(collector)}/copy`;
}
