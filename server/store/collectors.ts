import type { Kysely } from 'kysely';
import type { StoreTables, StoreTransaction } from './schema';
import { bytesOfText } from './text-bytes';

/** `n` increases with each batch of a collector. */
export interface BatchKey {
  readonly collector: string;
  readonly n: number;
}

/** Notes that the transaction stores a batch. Returns false if it was stored before. */
export async function isNewBatch(trx: StoreTransaction, { collector, n }: BatchKey): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('collectors')
    .values({ id: bytesOfText(collector), n })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ n }).where('collectors.n', '<', n))
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** The number of the newest batch of a collector, or 0 before its first. */
export async function newestOfCollector(db: Kysely<StoreTables>, collector: string): Promise<number> {
  const found = await db
    .selectFrom('collectors')
    .select('n')
    .where('id', '=', bytesOfText(collector))
    .executeTakeFirst();
  return found?.n ?? 0;
}
