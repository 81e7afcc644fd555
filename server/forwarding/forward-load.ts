import { LoadBlockWriter, readLoadValues } from '../live/load/load-block';
import type { NumberedBlock } from '../live/load/load-jobs';
import type { LoadRecorder } from '../live/load/load-recorder';
import type { Clock } from '../observe';
import type { Fence } from '../store/leases';
import { type PackedLoad, packSeries, unpackSeries, WaitingLoad } from '../store/load/waiting-load';
import type { StoreDatabase } from '../store/schema';
import { RepeatedWork } from './repeated-work';
import type { SourceLeases } from './source-leases';

interface ForwardedLoad {
  readonly clock: Clock;
  readonly loads: Pick<LoadRecorder, 'blocksAfter'>;
  /** The name of the recording in the store. */
  readonly collector: string;
  /** Under which fencing numbers load was observed. Absent: nobody else observes it. */
  readonly leases?: Pick<SourceLeases, 'fenceAt' | 'noteLoadSent'>;
}

interface LoadForwarderParts extends ForwardedLoad {
  /** undefined while the shared store cannot be reached. */
  readonly store: () => StoreDatabase | undefined;
}

const forwardEveryMs = 1_000;

/** Copies the load that a collector records into the shared store, each value once. */
export class LoadForwarder {
  readonly #parts: LoadForwarderParts;
  readonly #work: RepeatedWork;
  /** All blocks up to this one are in the store. undefined: not known. */
  #reached: number | undefined;

  constructor(parts: LoadForwarderParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: forwardEveryMs, failure: 'load is not forwarded' },
      work: () => this.#forward(),
    });
  }

  start(): void {
    this.#work.start();
  }

  /** Empty, or the reason why load is not forwarded. */
  get problem(): string {
    return this.#work.problem;
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  /** Returns whether there may be more. */
  async #forward(): Promise<boolean> {
    const store = this.#parts.store();
    if (store === undefined) return false;
    const waiting = new WaitingLoad(store);
    try {
      this.#reached ??= await waiting.newestOf(this.#parts.collector);
      const next = await forwardLoad(this.#parts, waiting, this.#reached);
      this.#reached = next ?? this.#reached;
      return next !== undefined;
    } catch (error) {
      // The transaction may have been committed.
      this.#reached = undefined;
      throw error;
    }
  }
}

/**
 * Copies blocks of recorded load after one of them into a store, in one transaction. Returns the number of the last one, or undefined
 * if there are none.
 */
export async function forwardLoad(
  { clock, loads, collector, leases }: ForwardedLoad,
  waiting: WaitingLoad,
  after: number,
): Promise<number | undefined> {
  const asOf = clock.now();
  const blocks = await loads.blocksAfter(after);
  const last = blocks.at(-1);
  if (last === undefined) {
    await leases?.noteLoadSent(asOf);
    return undefined;
  }
  const forwarded = blocks.map((block) => {
    const fences = new Map<string, Fence>();
    for (const sourceId of block.sourceIds) {
      const fence = leases?.fenceAt(sourceId, block.firstAt);
      if (fence !== undefined) fences.set(sourceId, fence);
    }
    return {
      fences: [...fences.values()],
      without: (rejected: ReadonlySet<Fence>) =>
        withoutSources(block, (sourceId) => {
          const fence = fences.get(sourceId);
          return fence !== undefined && rejected.has(fence);
        }),
    };
  });
  await waiting.add(collector, last.id, forwarded);
  return last.id;
}

function withoutSources(block: NumberedBlock, isRejected: (sourceId: string) => boolean): PackedLoad {
  if (!block.sourceIds.some(isRejected)) return { series: block.series, bytes: block.bytes };
  const kept = [...unpackSeries(block.series)].filter(([, { scope }]) => !isRejected(scope.sourceId));
  const ids = new Set(kept.map(([id]) => id));
  const writer = new LoadBlockWriter();
  readLoadValues(block.bytes, (id, kind, values) => {
    if (ids.has(id)) writer.add(id, kind, values);
  });
  return { series: packSeries(kept.map(([id, series]) => ({ id, series }))), bytes: writer.finish() };
}
