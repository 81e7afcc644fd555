import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { LoadSeries } from '@/lib/load/load-series';
import { floorTo, type LoadReach, type LoadSpan, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { StoreDatabase, StoreTables, StoreTransaction } from '../schema';
import { bytesOfText, textOfBytes } from '../text-bytes';
import { expectAll } from './expect-all';
import { indexedBytes, openMinutes } from './load-migration';
import type { FoundSeries, LoadTier, PlacedSeries, RawBlock, ShardBlock, StoredSums } from './load-rows';
import { storedBytes } from './stored-bytes';

const tiers = { raw: 0, minutes: 1, hours: 2 };
/** Rows of one statement. */
const rowsAtOnce = 50;
const idsAtOnce = 1_000;
const deletedAtOnce = 2_000;

/** No time is further from 1970: the largest of Date. */
const mostTime = 8.64e15;

type LoadTable = 'load_raw' | 'load_sums' | 'load_fleet' | 'load_series';

/**
 * Load over time: values as they were reported, which never change, and their sums by minute and by hour. Every value is in
 * exactly one open raw block, or in a minute and then also in an hour. Spans include their beginning and exclude their
 * end. A series is recorded by one process at a time.
 */
export class LoadTables {
  readonly #database: StoreDatabase;
  readonly #db: Kysely<StoreTables>;

  constructor(database: StoreDatabase, db: Kysely<StoreTables> = database.db) {
    this.#database = database;
    this.#db = db;
  }

  /** Commits what `work` writes, or nothing if it rejects. */
  transaction<T>(work: (tables: LoadTables, trx: StoreTransaction) => Promise<T>): Promise<T> {
    return this.#db.transaction().execute((trx) => work(new LoadTables(this.#database, trx), trx));
  }

  /** All reads of `work` are as of one moment. */
  snapshot<T>(work: (tables: LoadTables) => Promise<T>): Promise<T> {
    return this.#db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((trx) => work(new LoadTables(this.#database, trx)));
  }

  /** Existing series remain unchanged. */
  async addSeries(all: readonly PlacedSeries[]): Promise<void> {
    const rows = all.map(({ id, shard, series }) => ({
      ...{ id, shard, series: bytesOfText(JSON.stringify(series)) },
      client: bytesOfText(series.scope.clientId),
      cluster: bytesOfText(series.scope.clusterName),
    }));
    for (const some of inParts(rows, rowsAtOnce)) {
      await this.#db
        .insertInto('load_series')
        .values(some)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    }
  }

  /** Returns the series of a cluster, of a client, of both, or all, in the order of their ids. */
  async readSeries(
    { cluster, clientId }: { readonly cluster?: string; readonly clientId?: string },
    whose: 'clients' | 'fleet' | 'all',
  ): Promise<FoundSeries[]> {
    let query = this.#db
      .selectFrom('load_series')
      .select(['id', 'shard', this.#bytes('load_series', 'series').as('series')])
      .orderBy('id');
    if (whose !== 'all') query = query.where('id', whose === 'fleet' ? '<' : '>', 0);
    if (cluster !== undefined) query = query.where(isText('cluster', cluster));
    if (clientId !== undefined) query = query.where(isText('client', clientId));
    const rows = await query.execute();
    return rows.map(({ id, shard, series }) => ({
      ...{ id, shard },
      ...(JSON.parse(textOfBytes(series)) as LoadSeries),
    }));
  }

  /** Returns 1 if there are no raw blocks. */
  async nextRawId(): Promise<number> {
    const row = await this.#db
      .selectFrom('load_raw')
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return (row?.id ?? 0) + 1;
  }

  /** The block is open until its minute is closed. */
  async appendRaw({ id, minute, bytes, firstAt, lastAt, fleet }: RawBlock): Promise<void> {
    await this.#db.insertInto('load_raw').values({ id, minute, rolled: 0, bytes }).execute();
    await this.#db.insertInto('load_raw_times').values({ id, first_at: firstAt, last_at: lastAt }).execute();
    await this.#db.insertInto('load_fleet').values({ minute, rolled: 0, bytes: fleet }).execute();
  }

  /** Returns the open blocks in the order of their ids. */
  readOpenRaw(): Promise<{ readonly minute: EpochMs; readonly bytes: Uint8Array }[]> {
    return this.#db
      .selectFrom('load_raw')
      .select(['minute', this.#bytes('load_raw').as('bytes')])
      .where('rolled', '=', 0)
      .orderBy('id')
      .execute();
  }

  /** Returns the blocks that have a value of the span. */
  async readRaw({
    from,
    to,
  }: LoadSpan): Promise<
    { readonly minute: EpochMs; readonly isOpen: boolean; readonly bytes: Uint8Array }[]
  > {
    const rows = await this.#db
      .selectFrom('load_raw')
      .innerJoin('load_raw_times', 'load_raw_times.id', 'load_raw.id')
      .select(['minute', 'rolled', this.#bytes('load_raw').as('bytes')])
      .where('rolled', 'in', [0, 1])
      .where('minute', '>=', floorTo(whole(from), minuteMs))
      .where('minute', '<', whole(to))
      .where('first_at', '<', whole(to))
      .where('last_at', '>=', whole(from))
      .orderBy('load_raw.id')
      .execute();
    return rows.map(({ rolled, ...row }) => ({ ...row, isOpen: rolled === 0 }));
  }

  /** Returns the sums of the fleet whose minutes begin in the span. */
  readFleet(
    { from, to }: LoadSpan,
    which: 'open' | 'all',
  ): Promise<{ readonly minute: EpochMs; readonly bytes: Uint8Array }[]> {
    return this.#db
      .selectFrom('load_fleet')
      .select(['minute', this.#bytes('load_fleet').as('bytes')])
      .where('rolled', 'in', which === 'open' ? [0] : [0, 1])
      .where('minute', '>=', whole(from))
      .where('minute', '<', whole(to))
      .orderBy('id')
      .execute();
  }

  /**
   * Adds the minute's sums, which contain so many open blocks, and replaces the sums of the fleet of these by `fleet`. Throws if
   * another process has added blocks, or has closed the minute.
   */
  closeMinute(
    { minute, blocks }: { readonly minute: EpochMs; readonly blocks: number },
    sums: Iterable<ShardBlock>,
    fleet: Uint8Array,
  ): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      await trx.deleteFrom('load_fleet').where('rolled', '=', 0).where('minute', '=', minute).execute();
      await trx.insertInto('load_fleet').values({ minute, rolled: 1, bytes: fleet }).execute();
      await addSums(trx, 'minutes', minute, sums);
      const { numUpdatedRows } = await trx
        .updateTable('load_raw')
        .set({ rolled: 1 })
        .where('rolled', '=', 0)
        .where('minute', '=', minute)
        .executeTakeFirstOrThrow();
      expectAll(`open blocks of the minute ${minute}`, blocks, numUpdatedRows);
    });
  }

  /** Returns the oldest minute with sums of a shard that are in no hour yet. */
  findOpenSums(): Promise<{ readonly beginsAt: EpochMs; readonly shard: number } | undefined> {
    return this.#db
      .selectFrom('load_sums')
      .select(['begins_at as beginsAt', 'shard'])
      .where(openMinutes)
      .orderBy('begins_at')
      .limit(1)
      .executeTakeFirst();
  }

  /** Adds an hour's sums, which contain the minutes with these ids. Throws if another process has closed the hour. */
  closeHour(hour: EpochMs, sums: Iterable<ShardBlock>, minutes: readonly number[]): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      await addSums(trx, 'hours', hour, sums);
      for (const ids of inParts(minutes, idsAtOnce)) {
        const { numUpdatedRows } = await trx
          .updateTable('load_sums')
          .set({ rolled: 1 })
          .where('id', 'in', ids)
          .where('rolled', '=', 0)
          .executeTakeFirstOrThrow();
        expectAll(`open minutes of the hour ${hour}`, ids.length, numUpdatedRows);
      }
    });
  }

  /** Returns sums that begin in the span; `open` are minutes that are in no hour yet. */
  async readSums(
    tier: LoadTier,
    shards: readonly number[],
    { from, to }: LoadSpan,
    which: 'open' | 'all',
  ): Promise<StoredSums[]> {
    const found: StoredSums[] = [];
    for (const some of inParts([...new Set(shards)], idsAtOnce)) {
      const query = this.#db
        .selectFrom('load_sums')
        .select(['id', 'begins_at as beginsAt', this.#bytes('load_sums').as('bytes')])
        .where('tier', '=', tiers[tier])
        .where('shard', 'in', some)
        .where('begins_at', '>=', whole(from))
        .where('begins_at', '<', whole(to));
      const rows = await (which === 'open' ? query.where('rolled', '=', 0) : query).execute();
      for (const row of rows) found.push(row);
    }
    return found;
  }

  /** Returns since when each tier is complete; older values were deleted. */
  async reach(): Promise<LoadReach> {
    const rows = await this.#db.selectFrom('load_reach').selectAll().execute();
    const from = (wanted: number): EpochMs => rows.find(({ tier }) => tier === wanted)?.from_at ?? 0;
    return { raw: from(tiers.raw), minutes: from(tiers.minutes), hours: from(tiers.hours) };
  }

  /** Returns the first minute with raw blocks from `from` on, or null if there is none. */
  async findRaw(from: EpochMs): Promise<EpochMs | null> {
    // There is one query per value, because the index begins with `rolled`.
    const found = [];
    for (const rolled of [0, 1]) {
      found.push(
        await this.#firstMinute((raw) =>
          raw.and([raw('rolled', '=', rolled), raw('minute', '>=', whole(from))]),
        ),
      );
    }
    const moments = found.filter((at) => at !== null);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Returns the beginning of the first sums in the span, or null if there are none. */
  findSums(tier: LoadTier, { from, to }: LoadSpan): Promise<EpochMs | null> {
    return this.#firstSums((sums) =>
      sums.and([
        sums('tier', '=', tiers[tier]),
        sums('begins_at', '>=', whole(from)),
        sums('begins_at', '<', whole(to)),
      ]),
    );
  }

  /** Returns the oldest deletable time of each: raw blocks of closed minutes, minutes of an hour, and hours. */
  async oldest(): Promise<{ readonly [kind in keyof LoadReach]: EpochMs | null }> {
    return {
      raw: await this.#firstMinute(() => isDeletable),
      minutes: await this.#firstSums((sums) =>
        sums.and([sums('tier', '=', tiers.minutes), sums('rolled', '=', 1)]),
      ),
      hours: await this.#firstSums((sums) => sums('tier', '=', tiers.hours)),
    };
  }

  /** Deletes some raw blocks of closed minutes before `before`, but never the newest, so that a number is not used again. Returns whether there were any. */
  deleteRaw(before: EpochMs): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const rows = await trx
        .selectFrom('load_raw')
        .select('id')
        .where(isDeletable)
        .where('minute', '<', before)
        .limit(deletedAtOnce)
        .execute();
      if (rows.length === 0) return false;
      for (const some of inParts(rows, idsAtOnce)) {
        const ids = some.map(({ id }) => id);
        await trx.deleteFrom('load_raw_times').where('id', 'in', ids).execute();
        await trx.deleteFrom('load_raw').where('id', 'in', ids).execute();
      }
      await trx.deleteFrom('load_fleet').where('rolled', '=', 1).where('minute', '<', before).execute();
      await raiseReach(trx, tiers.raw, before);
      return true;
    });
  }

  /** Deletes some hours, or minutes that are in an hour, before `before`. Returns whether there were any. */
  deleteSums(tier: LoadTier, before: EpochMs): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('load_sums')
        .where('id', 'in', (from) => {
          const old = from
            .selectFrom('load_sums')
            .select('id')
            .where('tier', '=', tiers[tier])
            .where('begins_at', '<', before)
            .limit(deletedAtOnce);
          return tier === 'minutes' ? old.where('rolled', '=', 1) : old;
        })
        .executeTakeFirstOrThrow();
      if (numDeletedRows > 0n) await raiseReach(trx, tiers[tier], before);
      return numDeletedRows > 0n;
    });
  }

  async usedBytes(): Promise<number> {
    return (await this.#database.size()).used;
  }

  /** Returns free space to the file system. */
  async shrink(): Promise<void> {
    while (await this.#database.shrink());
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #firstMinute(condition: (raw: ExpressionBuilder<StoreTables, 'load_raw'>) => Expression<SqlBool>) {
    const row = await this.#db
      .selectFrom('load_raw')
      .select('minute')
      .where(condition)
      .orderBy('minute')
      .limit(1)
      .executeTakeFirst();
    return row?.minute ?? null;
  }

  async #firstSums(condition: (sums: ExpressionBuilder<StoreTables, 'load_sums'>) => Expression<SqlBool>) {
    const row = await this.#db
      .selectFrom('load_sums')
      .select('begins_at')
      .where(condition)
      .orderBy('begins_at')
      .limit(1)
      .executeTakeFirst();
    return row?.begins_at ?? null;
  }

  #bytes(table: LoadTable, column: 'bytes' | 'series' = 'bytes') {
    return storedBytes(this.#database.engine, `${table}.${column}`);
  }
}

const isDeletable = sql<boolean>`rolled = 1 and id < (select max(id) from load_raw)`;

async function addSums(
  trx: Kysely<StoreTables>,
  tier: LoadTier,
  beginsAt: EpochMs,
  sums: Iterable<ShardBlock>,
): Promise<void> {
  const rows = Array.from(sums, ([shard, bytes]) => ({
    ...{ tier: tiers[tier], shard, begins_at: beginsAt, rolled: 0, bytes },
  }));
  for (const some of inParts(rows, rowsAtOnce)) await trx.insertInto('load_sums').values(some).execute();
}

async function raiseReach(trx: Kysely<StoreTables>, tier: number, from: EpochMs): Promise<void> {
  await trx
    .insertInto('load_reach')
    .values({ tier, from_at: from })
    .onConflict((conflict) =>
      conflict.column('tier').doUpdateSet({ from_at: from }).where('load_reach.from_at', '<', from),
    )
    .execute();
}

function isText(column: 'client' | 'cluster', text: string) {
  const bytes = bytesOfText(text);
  const begin = sql`substr(${sql.ref(column)}, 1, ${sql.lit(indexedBytes)})`;
  return sql<boolean>`${begin} = ${bytes.subarray(0, indexedBytes)} and ${sql.ref(column)} = ${bytes}`;
}

/** Times of a span may be fractions or infinite. Stored ones are whole, so that both comparisons remain the same. */
function whole(at: EpochMs): EpochMs {
  return Math.max(-mostTime, Math.min(mostTime, Math.ceil(at)));
}

function* inParts<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
