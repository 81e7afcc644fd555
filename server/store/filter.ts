import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { HistoryFilter } from '../recorder/reader/history-query';
import { kindNumber, splitTypes, vantageNumber } from './observation-row';
import { type StoreEngine, type StoreTables, textRoles } from './schema';
import { bytesOfText } from './text-bytes';
import { type TextIds, type TextKey, textKey } from './texts';

export interface LogRange {
  /** Both ends are excluded. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** Set if a page is read, in this order of seq. */
  readonly order?: 'asc' | 'desc';
}

/** Sorting more observations of a time range than this takes longer than reading the log in its order. */
const maxSorted = 50_000;

type Condition = (eb: ExpressionBuilder<StoreTables, 'observations'>) => Expression<SqlBool>;

/** Returns the condition of a filter on `observations`, or undefined if nothing that is stored can meet it. */
export async function findCondition(
  { db, engine }: { readonly db: Kysely<StoreTables>; readonly engine: StoreEngine },
  texts: TextIds,
  filter: HistoryFilter & LogRange,
): Promise<Condition | undefined> {
  const { clientId, streamId, sourceId, resourceName, version, errorText, typeUrls, kinds, vantages } =
    filter;
  const keys = {
    source: keyOf('source', sourceId),
    client: keyOf('client', clientId),
    stream: keyOf('stream', streamId),
  };
  const terms = [keyOf('name', resourceName), keyOf('version', version)].filter((key) => key !== undefined);
  const wanted = [...Object.values(keys).filter((key) => key !== undefined), ...terms];
  const ids = await texts.find(db, wanted);
  if (ids.size < new Set(wanted).size || kinds?.length === 0 || vantages?.length === 0) return undefined;
  const types = typeUrls === undefined ? undefined : await findTypes(db, typeUrls);
  if (types?.length === 0) return undefined;
  const { from, to, afterSeq, beforeSeq, isRejection } = filter;
  // As an expression, the time is compared without its index.
  const at = (await isWide(db, filter))
    ? sql<number>`observations.at + 0`
    : sql.ref<number>('observations.at');
  return (eb) => {
    const all: Expression<SqlBool>[] = [];
    for (const column of ['source', 'client', 'stream'] as const) {
      const id = ids.get(keys[column] ?? '');
      if (id !== undefined) all.push(eb(column, '=', id));
    }
    if (afterSeq !== undefined) all.push(eb('seq', '>', afterSeq));
    if (beforeSeq !== undefined) all.push(eb('seq', '<', beforeSeq));
    // Stored times are whole, and PostgreSQL compares them with whole numbers only.
    if (from !== undefined) all.push(eb(at, '>=', Math.ceil(from)));
    if (to !== undefined) all.push(eb(at, '<=', Math.floor(to)));
    if (kinds !== undefined) all.push(eb('kind', 'in', kinds.map(kindNumber)));
    if (vantages !== undefined) all.push(eb('vantage', 'in', vantages.map(vantageNumber)));
    if (types !== undefined) all.push(eb('types', 'in', types));
    // A partial index serves the condition that it has, written as a literal.
    if (isRejection) all.push(eb('rejected', '=', sql.lit(1)));
    for (const key of terms) {
      all.push(
        eb(
          'seq',
          'in',
          eb
            .selectFrom('terms')
            .select('seq')
            .where('text', '=', ids.get(key) ?? 0),
        ),
      );
    }
    if (errorText !== undefined) {
      const part = bytesOfText(errorText.toLowerCase());
      const place =
        engine === 'sqlite'
          ? sql<number>`instr(texts.text, ${part})`
          : sql<number>`position(${part} in texts.text)`;
      const errors = eb
        .selectFrom('texts')
        .select('id')
        .where('role', '=', textRoles.indexOf('error'))
        .where(place, '>', 0);
      all.push(eb('seq', 'in', eb.selectFrom('terms').select('seq').where('text', 'in', errors)));
    }
    return eb.and(all);
  };
}

function keyOf(role: Parameters<typeof textKey>[0], text: string | undefined): TextKey | undefined {
  return text === undefined ? undefined : textKey(role, text);
}

/** There are few different types and combinations of types, so that they are compared here. */
async function findTypes(db: Kysely<StoreTables>, typeUrls: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('texts')
    .select(['id', 'text'])
    .where('role', '=', textRoles.indexOf('types'))
    .execute();
  return rows
    .filter(({ text }) => splitTypes(text.toString('utf8')).some((typeUrl) => typeUrls.includes(typeUrl)))
    .map(({ id }) => id);
}

/** Returns whether so many observations are in the time range of a page that they are found faster by seq. */
async function isWide(
  db: Kysely<StoreTables>,
  { from, to, order }: HistoryFilter & LogRange,
): Promise<boolean> {
  if (order === undefined || (from === undefined && to === undefined)) return false;
  const row = await db
    .selectFrom('observations')
    .select('seq')
    .where('at', '>=', Math.ceil(from ?? -8.64e15))
    .where('at', '<=', Math.floor(to ?? 8.64e15))
    .offset(maxSorted)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
