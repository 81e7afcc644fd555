import { CompiledQuery } from 'kysely';
import type { StoreDatabase, StoreTables, StoreTransaction } from './schema';

/** The numbers of rows of one statement of SQLite: few different statements are prepared, whatever the number of rows. */
const sizes = [256, 64, 16, 4, 1];

/**
 * Inserts rows whose columns have numbers or, each of them, bytes. With `key`, a row replaces the one with the same value of
 * that column. Kysely takes longer to build a statement of many rows than the database to execute it, and PostgreSQL longer to
 * parse one than to read an array of each column.
 */
export async function insertRows<Table extends keyof StoreTables & string>(
  trx: StoreTransaction,
  { engine }: Pick<StoreDatabase, 'engine'>,
  table: Table,
  columns: readonly (keyof StoreTables[Table] & string)[],
  rows: readonly (readonly unknown[])[],
  key?: keyof StoreTables[Table] & string,
): Promise<void> {
  if (rows.length === 0) return;
  const into = `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')})`;
  const others = columns.map((column) => `"${column}" = excluded."${column}"`).join(', ');
  const conflict = key === undefined ? '' : ` on conflict ("${key}") do update set ${others}`;
  const execute = (values: string, parameters: unknown[]) =>
    trx.executeQuery(CompiledQuery.raw(`${into} ${values}${conflict}`, parameters));
  if (engine === 'postgres') {
    const byColumn = columns.map((_, at) => rows.map((row) => row[at]));
    const arrays = byColumn.map(
      ([first], at) => `$${at + 1}::${first instanceof Uint8Array ? 'bytea' : 'bigint'}[]`,
    );
    await execute(`select * from unnest(${arrays.join(', ')})`, byColumn);
    return;
  }
  const row = `(${columns.map(() => '?').join(', ')})`;
  let from = 0;
  for (const size of sizes) {
    for (; rows.length - from >= size; from += size)
      await execute(`values ${new Array(size).fill(row).join(', ')}`, rows.slice(from, from + size).flat());
  }
}
