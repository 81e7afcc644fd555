import { CompiledQuery } from 'kysely';
import type { Observation } from '@/lib/observation/observation';
import type { Body } from '../observe';
import type { Bodies } from './bodies';
import { fieldsOf } from './observation-row';
import { payloadsOf, sealPayloads } from './payloads';
import type { StoreDatabase, StoreTables, StoreTransaction } from './schema';
import { bytesOfText } from './text-bytes';
import type { TextIds } from './texts';

/** Observations in the order in which they were made. */
export interface LogBatch {
  readonly observations: readonly Observation[];
  /** Bodies that the observations name. Repeating a stored one is allowed and cheap. */
  readonly bodies?: readonly Body[];
  /** Recognises a batch that is sent again. `n` increases with each batch of a collector. */
  readonly key?: { readonly collector: string; readonly n: number };
}

const observationColumns = [
  ...(['seq', 'at', 'kind', 'vantage', 'source', 'client', 'stream', 'types', 'nonce', 'took'] as const),
  'rejected',
] as const;

/** Stores a batch in one transaction. Returns its first seq, or undefined if it was stored before. */
export async function appendBatch(
  store: StoreDatabase,
  { texts, bodies: stored }: { readonly texts: TextIds; readonly bodies: Bodies },
  { observations, bodies = [], key }: LogBatch,
): Promise<number | undefined> {
  const fields = observations.map(fieldsOf);
  const keys = new Set<string>();
  for (const { source, client, stream, types, terms } of fields) {
    keys.add(source);
    for (const text of [client, stream, types]) if (text !== null) keys.add(text);
    for (const term of terms) keys.add(term);
  }
  const lines = observations.map((observation) => JSON.stringify(observation));
  const write = async (trx: StoreTransaction): Promise<number | undefined> => {
    // Other writers wait for this row until the end of the transaction, so that seqs are committed in their order.
    const { seq, texts_version } = await trx
      .updateTable('log_heads')
      .set((eb) => ({ seq: eb('seq', '+', observations.length) }))
      .where('id', '=', 1)
      .returning(['seq', 'texts_version'])
      .executeTakeFirstOrThrow();
    if (key !== undefined && !(await isNewBatch(trx, key))) throw new RepeatedBatch();
    const first = seq - observations.length + 1;
    const ids = await texts.assign(trx, keys, texts_version);
    const idOf = (text: string | null) => (text === null ? null : ids.get(text));
    const rows = fields.map((each, index) => [
      ...[first + index, each.at, each.kind, each.vantage, idOf(each.source), idOf(each.client)],
      ...[idOf(each.stream), idOf(each.types), each.nonce, each.took, each.rejected],
    ]);
    const terms = fields.flatMap((each, index) =>
      Array.from(each.terms, (term) => [ids.get(term) ?? 0, first + index] as const),
    );
    // Neighbours in the table are written together.
    terms.sort(([a], [b]) => a - b);
    await insertRows(trx, store, 'observations', observationColumns, rows);
    await insertRows(trx, store, 'terms', ['text', 'seq'], terms);
    for (const payload of payloadsOf(first, lines)) {
      await trx.insertInto('payloads').values(payload).execute();
    }
    await sealPayloads(trx);
    const recorded = observations.map((observation, index) => ({ ...observation, seq: first + index }));
    await stored.store(trx, bodies, recorded);
    return first;
  };
  try {
    return await store.db.transaction().execute(write);
  } catch (error) {
    // What was stored in the transaction does not exist.
    texts.forget();
    stored.forget();
    if (error instanceof RepeatedBatch) return undefined;
    throw error;
  }
}

/** Rolls the transaction back. */
class RepeatedBatch extends Error {}

async function isNewBatch(
  trx: StoreTransaction,
  { collector, n }: NonNullable<LogBatch['key']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('collectors')
    .values({ id: bytesOfText(collector), n })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ n }).where('collectors.n', '<', n))
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** The numbers of rows of one statement: few different statements are prepared, whatever the number of rows. */
const sizes = [256, 64, 16, 4, 1];

/** The statements of each store, by table and number of rows. */
const statements = new WeakMap<StoreDatabase, Map<string, string>>();

/** Inserts rows. Kysely takes longer to build a statement of 256 rows than the database to execute it, so it is built once. */
async function insertRows<Table extends keyof StoreTables>(
  trx: StoreTransaction,
  store: StoreDatabase,
  table: Table,
  columns: readonly (keyof StoreTables[Table] & string)[],
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const known = statements.get(store) ?? new Map<string, string>();
  statements.set(store, known);
  let from = 0;
  for (const size of sizes) {
    for (; rows.length - from >= size; from += size) {
      const key = `${table} ${size}`;
      const text = known.get(key) ?? buildInsert(trx, table, columns, size);
      known.set(key, text);
      await trx.executeQuery(CompiledQuery.raw(text, rows.slice(from, from + size).flat()));
    }
  }
}

function buildInsert<Table extends keyof StoreTables>(
  trx: StoreTransaction,
  table: Table,
  columns: readonly string[],
  size: number,
): string {
  const row = Object.fromEntries(columns.map((column) => [column, 0]));
  const rows = new Array<typeof row>(size).fill(row);
  return trx
    .insertInto(table)
    .values(rows as never)
    .compile().sql;
}
