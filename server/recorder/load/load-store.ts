import type { LoadKind, LoadSeries } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReach } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import {
  addLoadBlock,
  type FindSum,
  LoadBlockWriter,
  readLoadBlock,
  readLoadValues,
} from '../../load/load-block';
import { explain, openDatabase } from '../database/open-database';
import { OpenFiles } from '../database/open-files';
import { bytesOf, type SqlFile } from '../database/sql-file';
import { findLoadSeries } from './find-load-series';
import { cellMs, encodeCells, FleetCells, type FleetSums, fleetSumOf, forEachSum } from './fleet-cells';
import { LoadFleet } from './load-fleet';
import { prepareLoadSchema } from './load-schema';
import { LoadShards } from './load-shards';
import { hourMs, hourTier, minuteMs, minuteTier } from './load-tiers';
import { addSeries, MinuteSums } from './minute-sums';

/** Values of one minute as they came. */
export interface RawBlock {
  /** Its beginning. */
  readonly minute: EpochMs;
  readonly bytes: Uint8Array;
}

/** Written in one transaction. `firstId`: of its blocks; the same batch twice is written once. */
export interface LoadBatch {
  readonly firstId: number;
  readonly series: readonly { readonly id: number; readonly series: LoadSeries }[];
  readonly blocks: readonly RawBlock[];
}

interface Sum {
  readonly kind: LoadKind;
  readonly values: LoadValues;
}

/** Different series of all clients together: clusters, localities, categories. */
const mostFleetSeries = 200_000;
/** A minute is rolled up so long after its end: copies of reports come from other threads a little late. */
const graceMs = 5_000;
/** Hours are made of minutes, so much later. */
const hourGraceMs = 2 * minuteMs;

/** The file of load, and the minutes that are not rolled up yet. Its writer; see load-schema.ts. */
export class LoadStore {
  readonly sql: SqlFile;
  readonly shards: LoadShards;
  /** Sums of the raw blocks that are in no minute yet. */
  readonly #open = new Map<EpochMs, MinuteSums>();
  readonly fleet = new LoadFleet(mostFleetSeries);
  /** Named, and not in the file yet. */
  #newFleet: LoadBatch['series'] = [];
  #nextRawId: number;
  readonly #files: OpenFiles;
  /** Throws damagedFile(), or a RecorderError of one line. */
  constructor(file: string) {
    this.sql = openDatabase({
      ...{ file, wasOpen: false, smallTables: ['reach', 'series'] },
      prepare: (sql) => prepareLoadSchema(sql, file),
    });
    this.#files = new OpenFiles([file, `${file}-wal`, `${file}-shm`]);
    try {
      this.shards = new LoadShards(this.sql);
      this.fleet.restore(
        findLoadSeries(this.sql, {}, 'all').map(({ id, scope, part }) => ({ id, series: { scope, part } })),
      );
      this.#nextRawId = (this.sql.number('SELECT max(id) AS n FROM raw') ?? 0) + 1;
      for (const { minute, bytes } of this.sql.all<{ minute: number; bytes: ArrayBuffer }>(
        'SELECT minute, bytes FROM raw WHERE rolled = 0 ORDER BY id',
      )) {
        this.#fold(minute, bytesOf(bytes));
      }
    } catch (error) {
      this.sql.close();
      throw explain(file, error);
    }
  }

  assertInPlace(): void {
    this.#files.assertInPlace();
  }

  get nextRawId(): number {
    return this.#nextRawId;
  }

  append({ firstId, series, blocks }: LoadBatch): void {
    if (firstId < this.#nextRawId) return;
    this.fleet.add(series);
    this.sql.transaction(() => {
      this.shards.add(series);
      for (const [index, { minute, bytes }] of blocks.entries()) {
        const id = firstId + index;
        this.sql.run('INSERT INTO raw (id, minute, rolled, bytes) VALUES (?, ?, 0, ?)', [id, minute, bytes]);
        this.#writeCells(id, minute, bytes);
      }
      this.#writeNewFleet();
    });
    this.#newFleet = [];
    this.#nextRawId = firstId + blocks.length;
    for (const { minute, bytes } of blocks) this.#fold(minute, bytes);
  }

  /** What all clients together reported, in a row of raw. Within its transaction. */
  #writeCells(rawId: number, minute: EpochMs, bytes: Uint8Array): void {
    const cells = new FleetCells(this.fleet);
    cells.read(bytes);
    const { firstAt, lastAt } = cells;
    const hasAny = firstAt <= lastAt;
    this.sql.run('INSERT INTO raw_times (id, first_at, last_at) VALUES (?, ?, ?)', [
      ...[rawId, hasAny ? firstAt : minute],
      hasAny ? lastAt : minute,
    ]);
    this.sql.run('INSERT INTO fleet (raw_id, minute, rolled, bytes) VALUES (?, ?, 0, ?)', [
      ...[rawId, minute],
      encodeCells(cells.cells),
    ]);
  }

  /** Within a transaction; what was named by one that failed comes with the next one. */
  #writeNewFleet(): void {
    this.#newFleet = [...this.#newFleet, ...this.fleet.takeNew()];
    this.shards.add(this.#newFleet);
  }

  /** From when on values are kept, by tier. */
  reach(): LoadReach {
    const found = new Map(
      this.sql
        .all<{ tier: number; fromAt: number }>('SELECT tier, from_at AS fromAt FROM reach')
        .map(({ tier, fromAt }) => [tier, fromAt]),
    );
    return { raw: found.get(0) ?? 0, minutes: found.get(minuteTier) ?? 0, hours: found.get(hourTier) ?? 0 };
  }

  /** The first moment, `from` or later, of whose minute or hour anything is recorded; null: nothing is. */
  findRecorded(from: EpochMs): EpochMs | null {
    const { raw, minutes } = this.reach();
    const minute = floorTo(from, minuteMs);
    const found = [
      this.sql.number('SELECT min(minute) AS n FROM raw WHERE rolled = 0 AND minute >= ?', [minute]),
      this.sql.number('SELECT min(minute) AS n FROM raw WHERE rolled = 1 AND minute >= ?', [minute]),
      this.#findRolled(minuteTier, minute, raw),
      this.#findRolled(hourTier, floorTo(from, hourMs), minutes),
    ].filter((at) => at !== null);
    return found.length === 0 ? null : Math.max(from, Math.min(...found));
  }

  /** The first sum of a tier that begins within [from, to). */
  #findRolled(tier: number, from: EpochMs, to: EpochMs): EpochMs | null {
    return this.sql.number(
      'SELECT min(begins_at) AS n FROM rolled WHERE tier = ? AND begins_at >= ? AND begins_at < ?',
      [tier, from, to],
    );
  }

  /** Puts what has ended into minutes and hours. Returns whether there is more to do. */
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
    const sums = this.#open.get(minute) ?? new MinuteSums();
    this.sql.transaction(() => {
      const rows = new ShardRows(this.shards);
      this.#rollCells(minute, rows);
      sums.forEach((series, kind, values) => {
        rows.add(series, kind, values);
      });
      this.#write(minuteTier, minute, rows);
      this.sql.run('UPDATE raw SET rolled = 1 WHERE rolled = 0 AND minute = ?', [minute]);
    });
    this.#open.delete(minute);
  }

  /** Cells that are in no minute yet become one row, and the minute of the fleet. */
  #rollCells(minute: EpochMs, rows: ShardRows): void {
    const cells = new Map<EpochMs, FleetSums>();
    const minuteSums: FleetSums = [];
    for (const { bytes } of this.sql.all<{ bytes: ArrayBuffer }>(
      'SELECT bytes FROM fleet WHERE rolled = 0 AND minute = ?',
      [minute],
    )) {
      readLoadValues(bytesOf(bytes), (series, kind, values) => {
        const at = floorTo(values.at, cellMs);
        const cell = cells.get(at) ?? [];
        cells.set(at, cell);
        for (const sums of [cell, minuteSums]) addSeries(fleetSumOf(sums, series, kind), values, true);
      });
    }
    forEachSum(minuteSums, (series, sum) => rows.add(series, sum.kind, sum));
    this.sql.run('DELETE FROM fleet WHERE rolled = 0 AND minute = ?', [minute]);
    this.sql.run('INSERT INTO fleet (raw_id, minute, rolled, bytes) VALUES (NULL, ?, 1, ?)', [
      minute,
      encodeCells(cells),
    ]);
  }

  /** What clients reported and is in no row of minutes yet, by minute. */
  get openMinutes(): ReadonlyMap<EpochMs, MinuteSums> {
    return this.#open;
  }

  /** One shard of one hour, so that it takes no long time. */
  #rollHour(now: EpochMs): boolean {
    const oldest = this.sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 1 AND rolled = 0');
    if (oldest === null) return false;
    const hour = floorTo(oldest, hourMs);
    if (hour + hourMs + hourGraceMs > now) return false;
    const shard = this.sql.number(
      'SELECT shard AS n FROM rolled WHERE tier = 1 AND rolled = 0 AND begins_at = ? LIMIT 1',
      [oldest],
    );
    const rows = this.sql.all<{ id: number; bytes: ArrayBuffer }>(
      `SELECT id, bytes FROM rolled WHERE tier = 1 AND shard = ? AND begins_at >= ? AND begins_at < ? AND rolled = 0`,
      [shard, hour, hour + hourMs],
    );
    const sums = new Map<number, Sum>();
    const findSum = sumsFinder(sums);
    for (const { bytes } of rows) {
      addLoadBlock(bytesOf(bytes), findSum);
    }
    const hourRows = new ShardRows(this.shards);
    for (const [series, { kind, values }] of [...sums].sort(([a], [b]) => a - b)) {
      hourRows.add(series, kind, values);
    }
    this.sql.transaction(() => {
      this.#write(hourTier, hour, hourRows);
      for (const { id } of rows) this.sql.run('UPDATE rolled SET rolled = 1 WHERE id = ?', [id]);
    });
    return true;
  }

  /** A row for each shard. */
  #write(tier: number, beginsAt: EpochMs, rows: ShardRows): void {
    for (const [shard, bytes] of rows.finish()) {
      this.sql.run('INSERT INTO rolled (tier, shard, begins_at, rolled, bytes) VALUES (?, ?, ?, 0, ?)', [
        tier,
        shard,
        beginsAt,
        bytes,
      ]);
    }
  }

  close(): void {
    this.sql.all('PRAGMA wal_checkpoint(TRUNCATE)');
    this.sql.close();
  }
}

/** Values of series, a block for each shard. */
class ShardRows {
  readonly #writers = new Map<number, LoadBlockWriter>();

  constructor(private readonly shards: LoadShards) {}

  add(series: number, kind: LoadKind, values: LoadValues): void {
    const shard = this.shards.of(series);
    const writer = this.#writers.get(shard) ?? new LoadBlockWriter();
    this.#writers.set(shard, writer);
    writer.add(series, kind, values);
  }

  *finish(): Generator<readonly [shard: number, bytes: Uint8Array<ArrayBuffer>]> {
    for (const [shard, writer] of this.#writers) yield [shard, writer.finish()];
  }
}

/** Every series has one; new ones are put into `sums`. */
function sumsFinder(sums: Map<number, Sum>): FindSum {
  return (series, kind) => {
    const known = sums.get(series);
    if (known !== undefined) return known.values;
    const values = noLoadValues(kind);
    sums.set(series, { kind, values });
    return values;
  };
}
