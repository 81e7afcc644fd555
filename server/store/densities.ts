import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { LogRange } from './filter';
import type { HistoryFilter } from './history-query';
import { kindNumber } from './observation-row';
import type { StoreTables, StoreTransaction } from './schema';

export const minuteMs = 60_000;

interface Counted {
  readonly at: number;
  readonly kind: number;
  readonly types: number | null;
}

/** Counts observations that were stored. */
export async function addDensities(trx: StoreTransaction, observations: readonly Counted[]): Promise<void> {
  const counts = new Map<string, { minute: number; kind: number; types: number; count: number }>();
  for (const { at, kind, types } of observations) {
    const minute = Math.floor(at / minuteMs) * minuteMs;
    const key = `${minute} ${kind} ${types}`;
    const known = counts.get(key);
    if (known !== undefined) known.count += 1;
    else counts.set(key, { minute, kind, types: types ?? 0, count: 1 });
  }
  for (const row of counts.values()) {
    await trx
      .insertInto('densities')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['minute', 'kind', 'types'])
          .doUpdateSet((eb) => ({ count: eb('densities.count', '+', row.count) })),
      )
      .execute();
  }
}

/** Must be called before the observations that a condition selects are deleted. */
export async function subtractDensities(
  trx: StoreTransaction,
  observations: SelectQueryBuilder<StoreTables, 'observations', object>,
): Promise<void> {
  const width = sql.lit(minuteMs);
  const counts = await observations
    .select(['kind', sql<number>`coalesce(types, 0)`.as('types')])
    .select(sql<number>`at - ((at % ${width}) + ${width}) % ${width}`.as('minute'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy(['minute', 'kind', 'types'])
    .execute();
  for (const { minute, kind, types, count } of counts) {
    await trx
      .updateTable('densities')
      .set((eb) => ({ count: eb('count', '-', count) }))
      .where('minute', '=', minute)
      .where('kind', '=', kind)
      .where('types', '=', types)
      .execute();
  }
  const minutes = counts.map(({ minute }) => minute);
  if (minutes.length > 0) {
    await trx
      .deleteFrom('densities')
      .where('minute', '>=', Math.min(...minutes))
      .where('minute', '<=', Math.max(...minutes))
      .where('count', '=', 0)
      .execute();
  }
}

/**
 * Divides a filter of times and kinds into whole minutes, which are counted, and their edges. undefined if the filter has other
 * conditions.
 */
export function divideMinutes(
  filter: HistoryFilter & LogRange,
): { readonly minutes?: HistoryFilter; readonly edges: readonly HistoryFilter[] } | undefined {
  const { from, to, kinds, ...others } = filter;
  if (Object.values(others).some((each) => each !== undefined) || kinds?.length === 0) return undefined;
  const first = from === undefined ? undefined : Math.ceil(from / minuteMs) * minuteMs;
  const end = to === undefined ? undefined : Math.floor((Math.floor(to) + 1) / minuteMs) * minuteMs;
  if (first !== undefined && end !== undefined && first >= end) return { edges: [filter] };
  return {
    minutes: { from: first, to: end === undefined ? undefined : end - 1, kinds },
    edges: [
      ...(from === undefined || from === first ? [] : [{ from, to: (first ?? 0) - 1, kinds }]),
      ...(to === undefined || Math.floor(to) + 1 === end ? [] : [{ from: end, to, kinds }]),
    ],
  };
}

function ofMinutes(db: Kysely<StoreTables>, { from, to, kinds }: HistoryFilter) {
  return db
    .selectFrom('densities')
    .$if(from !== undefined, (query) => query.where('minute', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('minute', '<=', to ?? 0))
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', (kinds ?? []).map(kindNumber)));
}

export async function countMinutes(db: Kysely<StoreTables>, filter: HistoryFilter): Promise<number> {
  const { n } = await ofMinutes(db, filter)
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('count'), eb.lit(0)).as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** `bucketMs` must be a multiple of a minute. */
export function readMinutes(db: Kysely<StoreTables>, filter: HistoryFilter, bucketMs: number) {
  const width = sql.lit(bucketMs);
  return ofMinutes(db, filter)
    .select(['kind', 'types', sql<number>`minute - ((minute % ${width}) + ${width}) % ${width}`.as('bucket')])
    .select((eb) => eb.fn.sum<number>('count').as('count'))
    .groupBy(['bucket', 'kind', 'types'])
    .execute();
}
