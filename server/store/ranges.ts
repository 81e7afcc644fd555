import { type Kysely, sql } from 'kysely';
import type { EpochMs } from '@/lib/xds/units';
import type { StoreTables } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

const maxGaps = 1_000;

/** Observations that could not be recorded, both ends included. */
export interface Gap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: EpochMs;
  readonly toAt: EpochMs;
  readonly reason: string;
}

export interface GapTotals {
  readonly count: number;
  readonly observations: number;
  /** Time of the newest missing observation, or null if there is no gap. */
  readonly newestAt: EpochMs | null;
}

/** A range of the log that retention does not delete. */
export interface Pin {
  readonly id: number;
  /** Both ends are included. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** null if the pin is for all clients. */
  readonly clientId: string | null;
  readonly label: string;
  readonly createdAt: EpochMs;
}

/** Replaces the gap with the same fromSeq. */
export async function saveGap(db: Kysely<StoreTables>, gap: Gap): Promise<void> {
  const row = {
    to_seq: gap.toSeq,
    from_at: Math.floor(gap.fromAt),
    to_at: Math.floor(gap.toAt),
    reason: bytesOfText(gap.reason),
  };
  await db
    .insertInto('gaps')
    .values({ from_seq: gap.fromSeq, ...row })
    .onConflict((conflict) => conflict.column('from_seq').doUpdateSet(row))
    .execute();
}

/** Returns at most the newest 1,000 gaps between two times, both included, oldest first. */
export async function readGaps(
  db: Kysely<StoreTables>,
  from: EpochMs = -8.64e15,
  to: EpochMs = 8.64e15,
): Promise<Gap[]> {
  const rows = await db
    .selectFrom('gaps')
    .selectAll()
    .where('to_at', '>=', Math.ceil(from))
    .where('from_at', '<=', Math.floor(to))
    .orderBy('from_seq', 'desc')
    .limit(maxGaps)
    .execute();
  return rows
    .map((row) => ({
      fromSeq: row.from_seq,
      toSeq: row.to_seq,
      fromAt: row.from_at,
      toAt: row.to_at,
      reason: textOfBytes(row.reason),
    }))
    .reverse();
}

/** `newestSeq` is the highest missing seq, or 0 if there is no gap. */
export async function totalGaps(
  db: Kysely<StoreTables>,
): Promise<GapTotals & { readonly newestSeq: number }> {
  const row = await db
    .selectFrom('gaps')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(to_seq - from_seq + 1), 0)`.as('observations'),
      eb.fn.max('to_at').as('newestAt'),
      eb.fn.coalesce(eb.fn.max('to_seq'), eb.lit(0)).as('newestSeq'),
    ])
    .executeTakeFirstOrThrow();
  return row;
}

/** The number of pins is limited, because each is compared with every observation that retention may delete. */
export const maxPins = 200;

/** Returns undefined if there are too many pins. */
export async function addPin(db: Kysely<StoreTables>, pin: Omit<Pin, 'id'>): Promise<Pin | undefined> {
  if ((await readPins(db)).length >= maxPins) return undefined;
  const { id } = await db.insertInto('pins').values(rowOfPin(pin)).returning('id').executeTakeFirstOrThrow();
  return { id, ...pin };
}

function rowOfPin({ from, to, clientId, label, createdAt }: Omit<Pin, 'id'>) {
  return {
    from_at: Math.floor(from),
    to_at: Math.floor(to),
    client_id: clientId === null ? null : bytesOfText(clientId),
    label: bytesOfText(label),
    created_at: Math.floor(createdAt),
  };
}

/** Stores pins with the ids that they have. */
export async function restorePins(db: Kysely<StoreTables>, pins: readonly Pin[]): Promise<void> {
  for (const { id, ...pin } of pins)
    await db
      .insertInto('pins')
      .values({ id, ...rowOfPin(pin) })
      .execute();
}

/** Returns whether the pin existed. */
export async function removePin(db: Kysely<StoreTables>, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('pins').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Returns the pins in the order in which their ranges begin. */
export async function readPins(db: Kysely<StoreTables>): Promise<Pin[]> {
  const rows = await db.selectFrom('pins').selectAll().orderBy('from_at').orderBy('id').execute();
  return rows.map((row) => ({
    id: row.id,
    from: row.from_at,
    to: row.to_at,
    clientId: row.client_id === null ? null : textOfBytes(row.client_id),
    label: textOfBytes(row.label),
    createdAt: row.created_at,
  }));
}
