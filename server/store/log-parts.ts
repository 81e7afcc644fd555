import { type Kysely, sql } from 'kysely';
import { type ChurnEntry, churnEntryOf } from '@/lib/churn/churn-entry';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { ChurnWriter, decodeChurn } from './block-churn';
import { deflateBytes } from './deflate';
import { vantageNumber } from './observation-row';
import { readLines } from './payloads';
import type { StoreTables, StoreTransaction } from './schema';

/** The observations of a part that is not joined any more. Larger parts compress better, and reading one entry reads all. */
const sealedCount = 1_024;
/** Parts that are waiting to be joined. Each of them is small, as batches of a quiet mesh are. */
const maxUnsealed = 64;
const partsAtOnce = 16;
const none = new Uint8Array();

/** Stores what a batch of consecutive observations adds to the summaries. */
export async function addPart(trx: StoreTransaction, observations: readonly Recorded[]): Promise<void> {
  const first = observations[0];
  const last = observations.at(-1);
  if (first === undefined || last === undefined) return;
  const ats = observations.map(({ at }) => Math.floor(at));
  await trx
    .insertInto('log_parts')
    .values({
      ...{ first_seq: first.seq, last_seq: last.seq, sealed: observations.length >= sealedCount ? 1 : 0 },
      ...{ from_at: Math.min(...ats), to_at: Math.max(...ats) },
      churn: encode(observations.flatMap((observation) => churnEntryOf(observation) ?? [])),
    })
    .execute();
  if (observations.length < sealedCount) await sealParts(trx);
}

function encode(entries: readonly ChurnEntry[]): Uint8Array {
  if (entries.length === 0) return none;
  const writer = new ChurnWriter();
  for (const entry of entries) writer.add(entry);
  return deflateBytes(writer.finish());
}

function decode(churn: Uint8Array, withRepeats: boolean): ChurnEntry[] {
  return churn.byteLength === 0 ? [] : decodeChurn(churn, withRepeats);
}

/** Must be called after some observations between two seqs were deleted: parts that still have others lose their entries. */
export async function shortenParts(trx: StoreTransaction, fromSeq: number, untilSeq: number): Promise<void> {
  const parts = await trx
    .selectFrom('log_parts')
    .select(['first_seq', 'last_seq'])
    .where('first_seq', '<=', untilSeq)
    .where('last_seq', '>=', fromSeq)
    .execute();
  for (const { first_seq, last_seq } of parts) {
    const places = await trx
      .selectFrom('observations')
      .select(['seq', 'at'])
      .select((eb) =>
        eb
          .selectFrom('payloads')
          .select((max) => max.fn.max('first_seq').as('payload'))
          .whereRef('first_seq', '<=', 'observations.seq')
          .as('payload'),
      )
      .where('seq', '>=', first_seq)
      .where('seq', '<=', last_seq)
      .orderBy('seq')
      .execute();
    const entries: ChurnEntry[] = [];
    await readLines(trx, places, (json, index) => {
      const entry = churnEntryOf({ ...(JSON.parse(json) as Observation), seq: places[index]?.seq ?? 0 });
      if (entry !== undefined) entries.push(entry);
      return true;
    });
    const ats = places.map(({ at }) => at);
    await trx
      .updateTable('log_parts')
      .set({ from_at: Math.min(...ats), to_at: Math.max(...ats), churn: encode(entries) })
      .where('first_seq', '=', first_seq)
      .execute();
  }
}

/** Joins adjacent small parts once there are enough of them, until they have so many observations that they are sealed. */
async function sealParts(trx: StoreTransaction): Promise<void> {
  const { waiting } = await trx
    .selectFrom('log_parts')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('sealed', '=', sql.lit(0))
    .executeTakeFirstOrThrow();
  if (waiting < maxUnsealed) return;
  const parts = await trx
    .selectFrom('log_parts')
    .selectAll()
    .where('sealed', '=', sql.lit(0))
    .orderBy('first_seq')
    .execute();
  await trx.deleteFrom('log_parts').where('sealed', '=', sql.lit(0)).execute();
  for (let from = 0; from < parts.length; ) {
    let end = from + 1;
    while (end < parts.length && (parts[end - 1]?.last_seq ?? 0) + 1 === parts[end]?.first_seq) end++;
    const run = parts.slice(from, end);
    from = end;
    const [first, last] = [run[0]?.first_seq ?? 0, run.at(-1)?.last_seq ?? 0];
    await trx
      .insertInto('log_parts')
      .values({
        ...{ first_seq: first, last_seq: last },
        ...{
          from_at: Math.min(...run.map((part) => part.from_at)),
          to_at: Math.max(...run.map((part) => part.to_at)),
        },
        // What follows is not adjacent to any part but the last.
        sealed: end < parts.length || last - first + 1 >= sealedCount ? 1 : 0,
        churn: encode(run.flatMap(({ churn }) => decode(churn, true))),
      })
      .execute();
  }
}

/** Visits the churn entries of a range (both ends included) in the order of the log. Returns their number. */
export async function readChurn(
  db: Kysely<StoreTables>,
  range: { readonly from: EpochMs; readonly to: EpochMs; readonly clientId?: string },
  visit: (entry: ChurnEntry) => void,
  signal?: AbortSignal,
): Promise<number> {
  const { from, to, clientId } = range;
  let read = 0;
  for (let reached = 0; ; ) {
    signal?.throwIfAborted();
    const parts = await db
      .selectFrom('log_parts')
      .select(['first_seq', 'from_at', 'to_at', 'churn'])
      .where('first_seq', '>', reached)
      .where('to_at', '>=', Math.ceil(from))
      .where('from_at', '<=', Math.floor(to))
      .orderBy('first_seq')
      .limit(partsAtOnce)
      .execute();
    for (const { first_seq, from_at, to_at, churn } of parts) {
      reached = first_seq;
      for (const entry of decode(churn, clientId !== undefined || from_at < from || to_at > to)) {
        if (entry.at < from || entry.at > to) continue;
        if (clientId !== undefined && entry.clientId !== clientId) continue;
        read += 1;
        visit(entry);
      }
    }
    if (parts.length < partsAtOnce) return read;
  }
}

/**
 * Returns the seq up to which a client at a moment is folded, or undefined if the log has nothing of that time. Copies of a
 * tap are appended later than polls of the same time: no observation after `at` is in the fold, but earlier ones that were
 * appended late may be missing. A client of a file is the newest of the file.
 */
export async function findUntil(
  db: Kysely<StoreTables>,
  client: number,
  at: EpochMs,
): Promise<number | undefined> {
  const moment = Math.floor(at);
  const newest = await findNewest(db, moment);
  const imported = await db
    .selectFrom('observations')
    .select('seq')
    .where('client', '=', client)
    .where('vantage', '=', sql.lit(vantageNumber('dump')))
    .where('at', '<=', moment)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (imported !== undefined) {
    const own = await db
      .selectFrom('observations')
      .select('seq')
      .where('client', '=', client)
      .where('at', '<=', moment)
      .where('seq', '>', imported.seq)
      .limit(1)
      .executeTakeFirst();
    if (own === undefined) return imported.seq;
  }
  if (newest === undefined) return undefined;
  const begin = await db
    .selectFrom('log_parts')
    .select('first_seq')
    .where('to_at', '>', moment)
    .where('first_seq', '<=', newest)
    .orderBy('first_seq')
    .limit(1)
    .executeTakeFirst();
  if (begin === undefined) return newest;
  const later = await db
    .selectFrom('observations')
    .select('seq')
    .where('client', '=', client)
    .where('at', '>', moment)
    .where('seq', '>=', begin.first_seq)
    .where('seq', '<=', newest)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return later === undefined ? newest : later.seq - 1;
}

/** Returns the newest seq that was assigned, or 0. No observation up to it will appear later. */
export async function readNewestSeq(db: Kysely<StoreTables>): Promise<number> {
  return (await db.selectFrom('log_heads').select('seq').executeTakeFirstOrThrow()).seq;
}

/** Returns the newest observation that was made until a moment, those of files left out. */
async function findNewest(db: Kysely<StoreTables>, at: EpochMs): Promise<number | undefined> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const part = await db
      .selectFrom('log_parts')
      .select(['first_seq', 'last_seq'])
      .where('first_seq', '<', before)
      .where('from_at', '<=', at)
      .orderBy('first_seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (part === undefined) return undefined;
    const found = await db
      .selectFrom('observations')
      .select('seq')
      .where('seq', '>=', part.first_seq)
      .where('seq', '<=', part.last_seq)
      .where(sql<number>`at + 0`, '<=', at)
      .where('vantage', '!=', vantageNumber('dump'))
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (found !== undefined) return found.seq;
    before = part.first_seq;
  }
}
