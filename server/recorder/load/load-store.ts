import { by } from '@/lib/collections/compare';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import { floorTo, hourMs, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import {
  addLoadBlock,
  type FindSum,
  LoadBlockWriter,
  readLoadBlock,
  readLoadValues,
} from '../../load/load-block';
import type { LoadStorage, NewSeries } from '../storage/load-storage';
import { cellMs, encodeCells, FleetCells, type FleetSums, fleetSumOf, forEachSum } from './fleet-cells';
import { LoadFleet } from './load-fleet';
import { LoadShards } from './load-shards';
import { addSeries, MinuteSums } from './minute-sums';

/** Values of one minute as they were reported. */
interface RawBlock {
  readonly minute: EpochMs;
  readonly bytes: Uint8Array;
}

/** A batch is written in one transaction. `firstId` is the number of its first block; a repeated batch is ignored. */
export interface LoadBatch {
  readonly firstId: number;
  readonly series: readonly NewSeries[];
  readonly blocks: readonly RawBlock[];
}

interface Sum {
  readonly kind: LoadKind;
  readonly values: LoadValues;
}

/** Limits the series of all clients together: those of clusters, localities and categories. */
const mostFleetSeries = 200_000;
/** A minute is closed this long after its end, because other threads deliver copies of reports late. */
const graceMs = 5_000;
/** An hour is closed this long after its end. */
const hourGraceMs = 2 * minuteMs;

/** Stores reports, and sums them by minute and hour. Sums of open minutes are in memory. */
export class LoadStore {
  readonly shards: LoadShards;
  /** Sums of raw blocks; the key is the minute. */
  readonly #open = new Map<EpochMs, MinuteSums>();
  readonly fleet = new LoadFleet(mostFleetSeries);
  /** Series that have a number but are not stored yet. */
  #newFleet: readonly NewSeries[] = [];
  #nextRawId: number;

  constructor(readonly storage: LoadStorage) {
    const all = storage.readSeries({}, 'all');
    this.shards = new LoadShards(storage, all);
    this.fleet.restore(all.map(({ id, scope, part }) => ({ id, series: { scope, part } })));
    this.#nextRawId = storage.nextRawId();
    for (const { minute, bytes } of storage.readOpenRaw()) this.#fold(minute, bytes);
  }

  get nextRawId(): number {
    return this.#nextRawId;
  }

  append({ firstId, series, blocks }: LoadBatch): void {
    if (firstId < this.#nextRawId) return;
    this.fleet.add(series);
    this.storage.transaction(() => {
      this.shards.add(series);
      for (const [index, { minute, bytes }] of blocks.entries()) {
        const cells = new FleetCells(this.fleet);
        cells.read(bytes);
        const { firstAt, lastAt } = cells;
        const times = firstAt <= lastAt ? { firstAt, lastAt } : { firstAt: minute, lastAt: minute };
        this.storage.appendRaw({
          ...{ id: firstId + index, minute, bytes, ...times },
          fleet: encodeCells(cells.cells),
        });
      }
      this.#newFleet = [...this.#newFleet, ...this.fleet.takeNew()];
      this.shards.add(this.#newFleet);
    });
    // The next transaction stores the new series of a failed one.
    this.#newFleet = [];
    this.#nextRawId = firstId + blocks.length;
    for (const { minute, bytes } of blocks) this.#fold(minute, bytes);
  }

  /** Returns the first time, `from` or later, in whose minute or hour a value is recorded, or null if there is none. */
  findRecorded(from: EpochMs): EpochMs | null {
    const { raw, minutes } = this.storage.reach();
    const minute = floorTo(from, minuteMs);
    const found = [
      this.storage.findRaw(minute),
      this.storage.findSums('minutes', { from: minute, to: raw }),
      this.storage.findSums('hours', { from: floorTo(from, hourMs), to: minutes }),
    ].filter((at) => at !== null);
    return found.length === 0 ? null : Math.max(from, Math.min(...found));
  }

  /** Closes minutes and one shard of an hour. Returns whether there is more to do. */
  roll(now: EpochMs): boolean {
    for (const minute of [...this.#open.keys()]) {
      if (minute + minuteMs + graceMs <= now) this.#rollMinute(minute);
    }
    return this.#rollHour(now);
  }

  #fold(minute: EpochMs, bytes: Uint8Array): void {
    const sums = this.#open.get(minute) ?? new MinuteSums();
    this.#open.set(minute, sums);
    readLoadBlock(bytes, sums);
  }

  #rollMinute(minute: EpochMs): void {
    const rows = new ShardRows(this.shards);
    const cells = this.#rollCells(minute, rows);
    this.#open.get(minute)?.forEach((series, kind, values) => {
      rows.add(series, kind, values);
    });
    this.storage.closeMinute(minute, rows.finish(), encodeCells(cells));
    this.#open.delete(minute);
  }

  /** Adds the fleet's sums of a minute to `rows`, and returns them by cell. */
  #rollCells(minute: EpochMs, rows: ShardRows): ReadonlyMap<EpochMs, FleetSums> {
    const cells = new Map<EpochMs, FleetSums>();
    const minuteSums: FleetSums = [];
    for (const { bytes } of this.storage.readFleet({ from: minute, to: minute + 1 }, 'open')) {
      readLoadValues(bytes, (series, kind, values) => {
        const at = floorTo(values.at, cellMs);
        const cell = cells.get(at) ?? [];
        cells.set(at, cell);
        for (const sums of [cell, minuteSums]) addSeries(fleetSumOf(sums, series, kind), values, true);
      });
    }
    forEachSum(minuteSums, (series, sum) => rows.add(series, sum.kind, sum));
    return cells;
  }

  get openMinutes(): ReadonlyMap<EpochMs, MinuteSums> {
    return this.#open;
  }

  /** Closes one shard of an hour, so that a step is short. */
  #rollHour(now: EpochMs): boolean {
    const oldest = this.storage.findOpenSums();
    if (oldest === undefined) return false;
    const hour = floorTo(oldest.beginsAt, hourMs);
    if (hour + hourMs + hourGraceMs > now) return false;
    const minutes = this.storage.readSums(
      'minutes',
      [oldest.shard],
      { from: hour, to: hour + hourMs },
      'open',
    );
    const sums = new Map<number, Sum>();
    const findSum = sumsFinder(sums);
    for (const { bytes } of minutes) addLoadBlock(bytes, findSum);
    const rows = new ShardRows(this.shards);
    for (const [series, { kind, values }] of [...sums].sort(by(([key]) => key))) {
      rows.add(series, kind, values);
    }
    this.storage.closeHour(
      hour,
      rows.finish(),
      minutes.map(({ id }) => id),
    );
    return true;
  }
}

class ShardRows {
  readonly #shards: LoadShards;

  readonly #writers = new Map<number, LoadBlockWriter>();

  constructor(shards: LoadShards) {
    this.#shards = shards;
  }

  add(series: number, kind: LoadKind, values: LoadValues): void {
    const shard = this.#shards.of(series);
    const writer = this.#writers.get(shard) ?? new LoadBlockWriter();
    this.#writers.set(shard, writer);
    writer.add(series, kind, values);
  }

  *finish(): Generator<readonly [shard: number, bytes: Uint8Array<ArrayBuffer>]> {
    for (const [shard, writer] of this.#writers) yield [shard, writer.finish()];
  }
}

/** The returned function adds missing series to `sums`. */
function sumsFinder(sums: Map<number, Sum>): FindSum {
  return (series, kind) => {
    const known = sums.get(series);
    if (known !== undefined) return known.values;
    const values = noLoadValues(kind);
    sums.set(series, { kind, values });
    return values;
  };
}
