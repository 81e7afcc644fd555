import { CompiledQuery } from 'kysely';
import type { StoreTables, StoreTransaction } from './schema';

/** The numbers of rows of one statement: few different statements are prepared, whatever the number of rows. */
const sizes = [256, 64, 16, 4, 1];

/** By table and number of rows; the text differs per engine, as a transaction's compiler does. */
const texts = new WeakMap<object, Map<string, string>>();

/**
 * Inserts rows whose values are in the order of `columns`. Compiling a statement of 256 rows costs more than running it,
 * so that it is compiled once for each store.
 */
export async function insertRows<Table extends keyof StoreTables>(
  trx: StoreTransaction,
  store: object,
  table: Table,
  columns: readonly (keyof StoreTables[Table] & string)[],
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const known = texts.get(store) ?? new Map<string, string>();
  texts.set(store, known);
  let from = 0;
  for (const size of sizes) {
    for (; rows.length - from >= size; from += size) {
      const values = rows.slice(from, from + size).flat();
      const key = `${table} ${size}`;
      const text = known.get(key) ?? compile(trx, table, columns, size);
      known.set(key, text);
      await trx.executeQuery(CompiledQuery.raw(text, values));
    }
  }
}

function compile<Table extends keyof StoreTables>(
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
