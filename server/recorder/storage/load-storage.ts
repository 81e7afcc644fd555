import type { LoadSeries } from '@/lib/load/load-series';
import type { LoadReach, LoadSpan } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';

/** Length of a sum. */
export type LoadTier = 'minutes' | 'hours';

/** `id`: positive for a series of a client, negative for one of the fleet (load-fleet.ts). */
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
export interface NewRawBlock {
  readonly id: number;
  /** Beginning of the minute. */
  readonly minute: EpochMs;
  readonly bytes: Uint8Array;
  /** Times of the first and of the last value. */
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  readonly fleet: Uint8Array;
}

/** The block of one shard. */
export type ShardBlock = readonly [shard: number, bytes: Uint8Array];

export interface StoredSums {
  readonly id: number;
  readonly beginsAt: EpochMs;
  readonly bytes: Uint8Array;
}

/**
 * Where load over time is stored: values as they were reported, which never change, and their sums by minute and by hour.
 * Every value is in exactly one open raw block, or in a minute and then also in an hour. Spans include their beginning and
 * exclude their end. Atomicity, durability and errors are those of LogStorage.
 */
export interface LoadStorage {
  transaction<T>(work: () => T): T;
  /** Series that exist already are left as they are. */
  addSeries(all: readonly (NewSeries & { readonly shard: number })[]): void;
  /** By id: series of a cluster, of a client, of both, or all. */
  readSeries(
    filter: { readonly cluster?: string; readonly clientId?: string },
    whose: 'clients' | 'fleet' | 'all',
  ): FoundSeries[];
  /** 1: there are no raw blocks. */
  nextRawId(): number;
  /** The block is open until its minute is closed. */
  appendRaw(block: NewRawBlock): void;
  /** Open blocks, by id. */
  readOpenRaw(): { readonly minute: EpochMs; readonly bytes: Uint8Array }[];
  /** Blocks that hold a value of the span. */
  readRaw(
    span: LoadSpan,
  ): { readonly minute: EpochMs; readonly isOpen: boolean; readonly bytes: Uint8Array }[];
  /** Sums of the fleet whose minutes begin in the span. */
  readFleet(
    span: LoadSpan,
    which: 'open' | 'all',
  ): { readonly minute: EpochMs; readonly bytes: Uint8Array }[];
  /** Adds the minute's sums, and replaces the sums of the fleet of its open blocks by `fleet`. */
  closeMinute(minute: EpochMs, sums: Iterable<ShardBlock>, fleet: Uint8Array): void;
  /** The oldest minute with sums of a shard that are in no hour yet. */
  findOpenSums(): { readonly beginsAt: EpochMs; readonly shard: number } | undefined;
  /** Adds an hour's sums, which contain the minutes with these ids. */
  closeHour(hour: EpochMs, sums: Iterable<ShardBlock>, minutes: readonly number[]): void;
  /** Sums that begin in the span; `open`: minutes that are in no hour yet. */
  readSums(tier: LoadTier, shards: readonly number[], span: LoadSpan, which: 'open' | 'all'): StoredSums[];
  /** From when on each is complete: older ones were deleted. */
  reach(): LoadReach;
  /** The first minute with raw blocks from then on; null: there is none. */
  findRaw(from: EpochMs): EpochMs | null;
  /** The beginning of the first sums in the span; null: there are none. */
  findSums(tier: LoadTier, span: LoadSpan): EpochMs | null;
  /** The oldest of each that may be deleted: raw blocks of closed minutes, minutes that are in an hour, and hours. */
  oldest(): { readonly [kind in keyof LoadReach]: EpochMs | null };
  /** Deletes some raw blocks of closed minutes before then. Returns whether there were any. */
  deleteRaw(before: EpochMs): boolean;
  /** Deletes some hours, or minutes that are in an hour, before then. Returns whether there were any. */
  deleteSums(tier: LoadTier, before: EpochMs): boolean;
  usedBytes(): number;
  /** Returns some free pages to the file system. Returns how many are left. */
  shrink(pages: number): number;
  /** See LogStorage. */
  assertInPlace(): void;
  close(): void;
}
