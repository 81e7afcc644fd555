import type { LoadSeries } from '@/lib/load/load-series';
import type { EpochMs } from '@/lib/xds/units';

export type LoadTier = 'minutes' | 'hours';

/** `id` is positive for a series of a client, negative for one of the fleet (load-fleet.ts). */
export interface NewSeries {
  readonly id: number;
  readonly series: LoadSeries;
}

export interface PlacedSeries extends NewSeries {
  readonly shard: number;
}

export interface FoundSeries extends LoadSeries {
  readonly id: number;
  /** Series of one shard are summed into the same rows. */
  readonly shard: number;
}

/** Values of one minute as they were reported (load-block.ts), with the sums of the fleet over them (fleet-cells.ts). */
export interface RawBlock {
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
