import { by } from '@/lib/collections/compare';
import type { LoadKind } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import { floorTo, hourMs, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { FoundSeries, NewSeries, PlacedSeries } from '../../store/load/load-rows';
import type { LoadTables } from '../../store/load/load-tables';
import type { StoreTransaction } from '../../store/schema';
import { cellMs, encodeCells, FleetCells, type FleetSums, fleetSumOf, forEachSum } from './fleet-cells';
import { addLoadBlock, type FindSum, LoadBlockWriter, readLoadBlock, readLoadValues } from './load-block';
import { LoadFleet } from './load-fleet';
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

  private constructor(
    readonly storage: LoadTables,
    all: readonly FoundSeries[],
    nextRawId: number,
  ) {
    this.shards = new LoadShards(all);
    this.fleet.restore(all.map(({ id, scope, part }) => ({ id, series: { scope, part } })));
    this.#nextRawId = nextRawId;
  }

  static async open(storage: LoadTables): Promise<LoadStore> {
    const store = new LoadStore(storage, await storage.readSeries({}, 'all'), await storage.nextRawId());
    for (const { minute, bytes } of await storage.readOpenRaw()) store.#fold(minute, bytes);
    return store;
  }

  get nextRawId(): number {
    return this.#nextRawId;
  }

  /** `also` is in the same transaction. */
  async append(
    { firstId, series, blocks }: LoadBatch,
    also: (trx: StoreTransaction) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    if (firstId < this.#nextRawId) return;
    this.fleet.add(series);
    const raw = blocks.map(({ minute, bytes }, index) => {
      const cells = new FleetCells(this.fleet);
      cells.read(bytes);
      const { firstAt, lastAt } = cells;
      const times = firstAt <= lastAt ? { firstAt, lastAt } : { firstAt: minute, lastAt: minute };
      return { id: firstId + index, minute, bytes, ...times, fleet: encodeCells(cells.cells) };
    });
    this.#newFleet = [...this.#newFleet, ...this.fleet.takeNew()];
    const placed = this.shards.place([...series, ...this.#newFleet]);
    await this.storage.transaction(async (tables, trx) => {
      await tables.addSeries(placed);
      for (const block of raw) await tables.appendRaw(block);
      await also(trx);
    });
    // The next transaction stores the new series of a failed one.
    this.#newFleet = [];
    this.#nextRawId = firstId + blocks.length;
    for (const { minute, bytes } of blocks) this.#fold(minute, bytes);
  }

  /** Throws if another process has recorded load: what this one has in memory is then not all. */
  async assertNewest(): Promise<void> {
    const found = await this.storage.nextRawId();
    if (found !== this.#nextRawId)
      throw new Error(
        `expected the next block to be ${this.#nextRawId}, got ${found}: another process records load as well`,
      );
  }

  /** Closes minutes and one shard of an hour. Returns whether there is more to do. */
  async roll(now: EpochMs): Promise<boolean> {
    for (const minute of [...this.#open.keys()]) {
      if (minute + minuteMs + graceMs <= now) await this.#rollMinute(minute);
    }
    return this.#rollHour(now);
  }

  #fold(minute: EpochMs, bytes: Uint8Array): void {
    const sums = this.#open.get(minute) ?? new MinuteSums();
    this.#open.set(minute, sums);
    readLoadBlock(bytes, sums);
    sums.blocks += 1;
  }

  async #rollMinute(minute: EpochMs): Promise<void> {
    const rows = new ShardRows(this.shards);
    const cells = await this.#rollCells(minute, rows);
    this.#open.get(minute)?.forEach((series, kind, values) => {
      rows.add(series, kind, values);
    });
    const blocks = this.#open.get(minute)?.blocks ?? 0;
    await this.storage.closeMinute({ minute, blocks }, rows.finish(), encodeCells(cells));
    this.#open.delete(minute);
  }

  /** Adds the fleet's sums of a minute to `rows`, and returns them by cell. */
  async #rollCells(minute: EpochMs, rows: ShardRows): Promise<ReadonlyMap<EpochMs, FleetSums>> {
    const cells = new Map<EpochMs, FleetSums>();
    const minuteSums: FleetSums = [];
    for (const { bytes } of await this.storage.readFleet({ from: minute, to: minute + 1 }, 'open')) {
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
  async #rollHour(now: EpochMs): Promise<boolean> {
    const oldest = await this.storage.findOpenSums();
    if (oldest === undefined) return false;
    const hour = floorTo(oldest.beginsAt, hourMs);
    if (hour + hourMs + hourGraceMs > now) return false;
    const minutes = await this.storage.readSums(
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
    await this.storage.closeHour(
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

const seriesPerShard = 256;

interface Room {
  readonly shard: number;
  count: number;
}

/** Assigns series to shards: the series of a cluster are in one shard, and small clusters share shards. */
class LoadShards {
  readonly #ofSeries = new Map<number, number>();
  readonly #ofCluster = new Map<string, Room>();
  #shared: Room;
  #next = 1;

  constructor(series: readonly FoundSeries[]) {
    const rooms = new Map<number, Room>();
    for (const { id, shard, scope } of series.toSorted(by((each) => Math.abs(each.id)))) {
      this.#ofSeries.set(id, shard);
      const room = rooms.get(shard) ?? { shard, count: 0 };
      rooms.set(shard, room);
      room.count += 1;
      this.#ofCluster.set(roomNameOf(id, scope.clusterName), room);
      this.#next = Math.max(this.#next, shard + 1);
    }
    this.#shared = { shard: this.#next++, count: 0 };
  }

  of(series: number): number {
    return this.#ofSeries.get(series) ?? 0;
  }

  place(all: readonly NewSeries[]): PlacedSeries[] {
    return all.map(({ id, series }) => {
      const { shard } = this.#roomFor(roomNameOf(id, series.scope.clusterName));
      this.#ofSeries.set(id, shard);
      return { id, series, shard };
    });
  }

  #roomFor(cluster: string): Room {
    const known = this.#ofCluster.get(cluster);
    let room = known ?? this.#shared;
    if (room.count >= seriesPerShard) {
      room = { shard: this.#next++, count: 0 };
      if (known === undefined) this.#shared = room;
    }
    this.#ofCluster.set(cluster, room);
    room.count += 1;
    return room;
  }
}

/** Series of the fleet (load-fleet.ts) have shards of their own, because they are read without those of clients. */
function roomNameOf(id: number, cluster: string): string {
  return id < 0 ? '\u0000fleet' : cluster;
}
