import type { LoadKind, LoadSeries } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReach } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { addLoadBlock, type FindSum, LoadBlockWriter, readLoadBlock } from '../../load/load-block';
import { bytesOf, SqlFile } from '../sql-file';
import { LoadFleet } from './load-fleet';
import { prepareLoadSchema } from './load-schema';
import { LoadShards } from './load-shards';
import { fleetReach, hourMs, hourTier, minuteMs, minuteTier } from './load-tiers';
import { MinuteSums } from './minute-sums';
import { findLoadSeries, type OpenMinutes } from './read-load';

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
  readonly #fleet = new LoadFleet(mostFleetSeries);
  /** Named, and not in the file yet. */
  #newFleet: LoadBatch['series'] = [];
  #nextRawId: number;

  constructor(file: string) {
    this.sql = new SqlFile(file);
    try {
      prepareLoadSchema(this.sql, file);
    } catch (error) {
      this.sql.close();
      throw error;
    }
    this.shards = new LoadShards(this.sql);
    markFleetReach(this.sql);
    this.#newFleet = this.#fleet.restore(
      findLoadSeries(this.sql, {}, 'all').map(({ id, scope, part }) => ({ id, series: { scope, part } })),
    );
    this.#nextRawId = (this.sql.number('SELECT max(id) AS n FROM raw') ?? 0) + 1;
    for (const { minute, bytes } of this.sql.all<{ minute: number; bytes: ArrayBuffer }>(
      'SELECT minute, bytes FROM raw WHERE rolled = 0 ORDER BY id',
    )) {
      this.#fold(minute, bytesOf(bytes));
    }
  }

  get nextRawId(): number {
    return this.#nextRawId;
  }

  append({ firstId, series, blocks }: LoadBatch): void {
    if (firstId < this.#nextRawId) return;
    this.sql.transaction(() => {
      this.shards.add(series);
      this.#newFleet = [...this.#newFleet, ...this.#fleet.add(series)];
      this.shards.add(this.#newFleet);
      for (const [index, { minute, bytes }] of blocks.entries()) {
        this.sql.run('INSERT INTO raw (id, minute, rolled, bytes) VALUES (?, ?, 0, ?)', [
          firstId + index,
          minute,
          bytes,
        ]);
      }
    });
    this.#newFleet = [];
    this.#nextRawId = firstId + blocks.length;
    for (const { minute, bytes } of blocks) this.#fold(minute, bytes);
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

  /** Beginning of the first minute or hour of which there is anything; null: there is nothing. */
  oldestAt(): EpochMs | null {
    const found = [
      this.sql.number('SELECT min(minute) AS n FROM raw'),
      this.sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 1'),
      this.sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 2'),
    ].filter((at) => at !== null);
    return found.length === 0 ? null : Math.min(...found);
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
      this.shards.add(this.#newFleet);
      const rows = new ShardRows(this.shards);
      for (const [series, { kind, ...values }] of this.#fleet.sumsOf(sums)) rows.add(series, kind, values);
      sums.forEach((series, kind, values) => {
        rows.add(series, kind, values);
      });
      this.#write(minuteTier, minute, rows);
      this.sql.run('UPDATE raw SET rolled = 1 WHERE rolled = 0 AND minute = ?', [minute]);
    });
    this.#newFleet = [];
    this.#open.delete(minute);
  }

  /** What is in no row of minutes yet, of all clients together. */
  openFleet(): OpenMinutes {
    return {
      minutes: [...this.#open.keys()],
      seriesOf: (series) => this.#fleet.of(series),
      sumsOf: (minute, before) => {
        const sums = this.#open.get(minute);
        return sums !== undefined && sums.newestAt < before ? this.#fleet.sumsOf(sums) : undefined;
      },
    };
  }

  /** From when on all that clients told is in the fleet's series too. */
  get fleetSince(): EpochMs {
    if (!this.#fleet.isComplete) return Number.POSITIVE_INFINITY;
    return this.sql.number('SELECT from_at AS n FROM reach WHERE tier = ?', [fleetReach]) ?? 0;
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

/** A file of before there was a fleet has it from the hour on that follows. */
function markFleetReach(sql: SqlFile): void {
  const newest = sql.number('SELECT max(begins_at) AS n FROM rolled');
  const from = newest === null ? 0 : floorTo(newest, hourMs) + hourMs;
  sql.run('INSERT OR IGNORE INTO reach (tier, from_at) VALUES (?, ?)', [fleetReach, from]);
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
