import type { LoadSeries } from '@/lib/load/load-series';
import type { LoadReach, LoadSpan } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';

export type LoadTier = 'minutes' | 'hours';

/** `id` is positive for a series of a client, negative for one of the fleet (load-fleet.ts). */
export interface NewSeries {
  readonly id: number;
  readonly series: LoadSeries;
}

export interface FoundSeries extends LoadSeries {
  readonly id: number;
  /** Series of one shard are summed into the same rows. */
  readonly shard: number;
}

/** Values of one minute as they were reported (load-block.ts), with the sums of the fleet over them (fleet-cells.ts). */
interface NewRawBlock {
  readonly id: number;
  readonly minute: EpochMs;
  readonly bytes: Uint8Array;
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  readonly fleet: Uint8Array;
}

export type ShardBlock = readonly [shard: number, bytes: Uint8Array];

export interface StoredSums {
  readonly id: number;
  readonly beginsAt: EpochMs;
  readonly bytes: Uint8Array;
}

/**
 * The store of load over time: values as they were reported, which never change, and their sums by minute and by hour.
 * Every value is in exactly one open raw block, or in a minute and then also in an hour. Spans include their beginning
 * and exclude their end. Atomicity, durability and errors are those of LogStorage.
 */
export interface LoadStorage {
  transaction<T>(work: () => T): T;
  /** Existing series remain unchanged. */
  addSeries(all: readonly (NewSeries & { readonly shard: number })[]): void;
  /** Returns the series of a cluster, of a client, of both, or all, in the order of their ids. */
  readSeries(
    filter: { readonly cluster?: string; readonly clientId?: string },
    whose: 'clients' | 'fleet' | 'all',
  ): FoundSeries[];
  /** Returns 1 if there are no raw blocks. */
  nextRawId(): number;
  /** The block is open until its minute is closed. */
  appendRaw(block: NewRawBlock): void;
  /** Returns the open blocks in the order of their ids. */
  readOpenRaw(): { readonly minute: EpochMs; readonly bytes: Uint8Array }[];
  /** Returns the blocks that hold a value of the span. */
  readRaw(
    span: LoadSpan,
  ): { readonly minute: EpochMs; readonly isOpen: boolean; readonly bytes: Uint8Array }[];
  /** Returns the sums of the fleet whose minutes begin in the span. */
  readFleet(
    span: LoadSpan,
    which: 'open' | 'all',
  ): { readonly minute: EpochMs; readonly bytes: Uint8Array }[];
  /** Adds the minute's sums, and replaces the sums of the fleet of its open blocks by `fleet`. */
  closeMinute(minute: EpochMs, sums: Iterable<ShardBlock>, fleet: Uint8Array): void;
  /** Returns the oldest minute with sums of a shard that are in no hour yet. */
  findOpenSums(): { readonly beginsAt: EpochMs; readonly shard: number } | undefined;
  /** Adds an hour's sums, which contain the minutes with these ids. */
  closeHour(hour: EpochMs, sums: Iterable<ShardBlock>, minutes: readonly number[]): void;
  /** Returns sums that begin in the span; `open` are minutes that are in no hour yet. */
  readSums(tier: LoadTier, shards: readonly number[], span: LoadSpan, which: 'open' | 'all'): StoredSums[];
  /** Returns since when each tier is complete; older values were deleted. */
  reach(): LoadReach;
  /** Returns the first minute with raw blocks from `from` on, or null if there is none. */
  findRaw(from: EpochMs): EpochMs | null;
  /** Returns the beginning of the first sums in the span, or null if there are none. */
  findSums(tier: LoadTier, span: LoadSpan): EpochMs | null;
  /** Returns the oldest deletable time of each: raw blocks of closed minutes, minutes of an hour, and hours. */
  oldest(): { readonly [kind in keyof LoadReach]: EpochMs | null };
  /** Deletes some raw blocks of closed minutes before `before`. Returns whether there were any. */
  deleteRaw(before: EpochMs): boolean;
  /** Deletes some hours, or minutes that are in an hour, before `before`. Returns whether there were any. */
  deleteSums(tier: LoadTier, before: EpochMs): boolean;
  usedBytes(): number;
  /** Returns some free pages to the file system. Returns the number of those that are left. */
  shrink(pages: number): number;
  assertInPlace(): void;
  close(): void;
}
