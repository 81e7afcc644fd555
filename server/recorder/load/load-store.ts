import type { LoadKind, LoadSeries } from '@/lib/load/load-series';
import { type LoadValues, noLoadValues } from '@/lib/load/load-values';
import { floorTo, type LoadReach } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { bytesOf, SqlFile } from '../sql-file';
import { addLoadBlock, type FindSum, LoadBlockWriter } from './load-block';
import { prepareLoadSchema } from './load-schema';
import { LoadShards } from './load-shards';

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const minuteTier = 1;
export const hourTier = 2;

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

/** A minute is rolled up so long after its end: copies of reports come from other threads a little late. */
const graceMs = 5_000;
/** Hours are made of minutes, so much later. */
const hourGraceMs = 2 * minuteMs;

/** The file of load, and the minutes that are not rolled up yet. Its writer; see load-schema.ts. */
export class LoadStore {
  readonly sql: SqlFile;
  readonly shards: LoadShards;
  /** Sums of the raw blocks that are in no minute yet. */
  readonly #open = new Map<EpochMs, Map<number, Sum>>();
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
      for (const [index, { minute, bytes }] of blocks.entries()) {
        this.sql.run('INSERT INTO raw (id, minute, rolled, bytes) VALUES (?, ?, 0, ?)', [
          firstId + index,
          minute,
          bytes,
        ]);
      }
    });
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

  /** Puts what has ended into minutes and hours. Returns whether there is more to do. */
  roll(now: EpochMs): boolean {
    for (const minute of [...this.#open.keys()]) {
      if (minute + minuteMs + graceMs <= now) this.#rollMinute(minute);
    }
    return this.#rollHour(now);
  }

  #fold(minute: EpochMs, bytes: Uint8Array): void {
    const sums = this.#open.get(minute) ?? new Map<number, Sum>();
    this.#open.set(minute, sums);
    addLoadBlock(bytes, sumsFinder(sums));
  }

  #rollMinute(minute: EpochMs): void {
    const sums = this.#open.get(minute) ?? new Map<number, Sum>();
    this.sql.transaction(() => {
      this.#write(minuteTier, minute, sums);
      this.sql.run('UPDATE raw SET rolled = 1 WHERE rolled = 0 AND minute = ?', [minute]);
    });
    this.#open.delete(minute);
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
    this.sql.transaction(() => {
      this.#write(hourTier, hour, sums);
      for (const { id } of rows) this.sql.run('UPDATE rolled SET rolled = 1 WHERE id = ?', [id]);
    });
    return true;
  }

  /** A row for each shard. */
  #write(tier: number, beginsAt: EpochMs, sums: ReadonlyMap<number, Sum>): void {
    const writers = new Map<number, LoadBlockWriter>();
    for (const series of [...sums.keys()].sort((a, b) => a - b)) {
      const sum = sums.get(series);
      if (sum === undefined) continue;
      const shard = this.shards.of(series);
      const writer = writers.get(shard) ?? new LoadBlockWriter();
      writers.set(shard, writer);
      writer.add(series, sum.kind, sum.values);
    }
    for (const [shard, writer] of writers) {
      this.sql.run('INSERT INTO rolled (tier, shard, begins_at, rolled, bytes) VALUES (?, ?, ?, 0, ?)', [
        tier,
        shard,
        beginsAt,
        writer.finish(),
      ]);
    }
  }

  close(): void {
    this.sql.all('PRAGMA wal_checkpoint(TRUNCATE)');
    this.sql.close();
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
