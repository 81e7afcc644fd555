import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { createTables, dropTables, type TableList } from './create-tables';
import type { StoreDatabase, StoreEngine, StoreTransaction } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

/** What an observation was made under. The store rejects it if the lease has another number by now. */
export interface Fence {
  readonly lease: string;
  /** Incremented when another process takes the lease over. 0: the process has never held it. */
  readonly number: number;
}

interface Turn {
  readonly holder: string;
  /** What the process would observe, if it were alone. */
  readonly names: readonly string[];
  readonly ttlMs: number;
}

/** Milliseconds by the database's clock, because those of the processes differ. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const atOnce = 1_000;

const leaseTables: TableList = {
  leases: [{ name: 'bytes', holder: 'bytes', fence: 'big', expires_at: 'big', rejected: 'big' }, 'name'],
  lease_claims: [{ name: 'bytes', holder: 'bytes', expires_at: 'big' }, 'name', 'holder'],
};

export function createLeaseTables(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  return createTables(trx, engine, leaseTables);
}

export function dropLeaseTables(trx: StoreTransaction): Promise<void> {
  return dropTables(trx, leaseTables);
}

/**
 * Claims all names, and holds a lease of those for which this process comes first among the processes that claim them now:
 * the order of the processes is another one for each name, so that names are shared, and few change their process when one
 * comes or goes. A lease is taken over only when it was released or has expired. Returns the leases that are held, with their
 * fencing numbers. PostgreSQL only.
 */
export async function takeLeases(
  { db }: Pick<StoreDatabase, 'db'>,
  { holder, names, ttlMs }: Turn,
): Promise<Map<string, number>> {
  const held = new Map<string, number>();
  const own = bytesOfText(holder);
  const expiresAt = sql<number>`${now} + ${sql.lit(ttlMs)}`;
  await db
    .deleteFrom('lease_claims')
    .where((eb) => eb.or([eb('holder', '=', own), eb('expires_at', '<=', now)]))
    .execute();
  // Processes that write rows of both tables in the same order do not wait for each other in a circle.
  const sorted = [...new Set(names)].sort();
  for (let from = 0; from < sorted.length; from += atOnce) {
    const some = sorted.slice(from, from + atOnce).map(bytesOfText);
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('lease_claims')
        .values(some.map((name) => ({ name, holder: own, expires_at: expiresAt })))
        .onConflict((conflict) => conflict.columns(['name', 'holder']).doUpdateSet({ expires_at: expiresAt }))
        .execute();
      const claims = await trx
        .selectFrom('lease_claims')
        .select(['name', 'holder'])
        .where('name', 'in', some)
        .where('expires_at', '>', now)
        .execute();
      const first = firstOfEach(claims.map((claim) => [textOfBytes(claim.name), textOfBytes(claim.holder)]));
      const wanted = some.filter((name) => first.get(textOfBytes(name)) === holder);
      if (wanted.length === 0) return;
      const taken = await trx
        .insertInto('leases')
        .values(wanted.map((name) => ({ name, holder: own, fence: 1, expires_at: expiresAt, rejected: 0 })))
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({
              holder: own,
              expires_at: expiresAt,
              fence: sql`leases.fence + case when leases.holder = ${own} then 0 else 1 end`,
            })
            .where((eb) => eb.or([eb('leases.holder', '=', own), eb('leases.expires_at', '<=', now)])),
        )
        .returning(['name', 'fence'])
        .execute();
      for (const { name, fence } of taken) held.set(textOfBytes(name), fence);
    });
  }
  return held;
}

/** Others can take them over at once. */
export async function releaseLeases(
  { db }: Pick<StoreDatabase, 'db'>,
  holder: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await db
    .updateTable('leases')
    .set({ expires_at: 0 })
    .where('holder', '=', bytesOfText(holder))
    .where('name', 'in', names.map(bytesOfText))
    .execute();
}

/** Returns for each fence whether its lease has still the same number. The leases do not change until the end of the transaction. */
export async function compareFences(
  trx: StoreTransaction,
  fences: readonly (Fence | undefined)[],
): Promise<readonly boolean[]> {
  const names = new Set(fences.flatMap((fence) => fence?.lease ?? []));
  if (names.size === 0) return fences.map(() => true);
  const rows = await trx
    .selectFrom('leases')
    .select(['name', 'fence'])
    .where('name', 'in', [...names].sort().map(bytesOfText))
    .orderBy('name')
    // Appends take turns in any case. With a shared lock, two that count what they reject would wait for each other.
    .forUpdate()
    .execute();
  const numbers = new Map(rows.map(({ name, fence }) => [textOfBytes(name), fence]));
  return fences.map((fence) => fence === undefined || numbers.get(fence.lease) === fence.number);
}

/** Returns what compareFences() returns, and counts what is rejected. */
export async function checkFences(
  trx: StoreTransaction,
  fences: readonly (Fence | undefined)[],
): Promise<readonly boolean[]> {
  const accepted = await compareFences(trx, fences);
  const rejected = new Map<string, number>();
  for (const [index, fence] of fences.entries())
    if (fence !== undefined && accepted[index] === false)
      rejected.set(fence.lease, (rejected.get(fence.lease) ?? 0) + 1);
  for (const [name, count] of rejected) {
    await trx
      .updateTable('leases')
      .set((eb) => ({ rejected: eb('rejected', '+', count) }))
      .where('name', '=', bytesOfText(name))
      .execute();
  }
  return accepted;
}

/** The number of observations that were rejected since the store exists. */
export async function countRejected({ db }: Pick<StoreDatabase, 'db'>): Promise<number> {
  const { n } = await db
    .selectFrom('leases')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('rejected'), eb.lit(0)).as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Returns the holder with the greatest digest of name and holder, by name (rendezvous hashing). */
function firstOfEach(claims: readonly (readonly [name: string, holder: string])[]): Map<string, string> {
  const first = new Map<string, { readonly holder: string; readonly rank: string }>();
  for (const [name, holder] of claims) {
    const rank = createHash('sha256').update(`${name}\n${holder}`).digest('hex');
    const before = first.get(name);
    if (before === undefined || rank > before.rank) first.set(name, { holder, rank });
  }
  return new Map([...first].map(([name, { holder }]) => [name, holder]));
}
