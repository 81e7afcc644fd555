import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { HistoryFilter, HistoryQuery } from './history-query';
import { joinTypes, kindNumber, vantageNumber } from './observation-row';
import { type StoreEngine, type StoreTables, textRoles } from './schema';
import { bytesOfText } from './text-bytes';
import { type TextIds, type TextKey, textKey } from './texts';

export type LogRange = Omit<Partial<HistoryQuery>, keyof HistoryFilter | 'limit'>;

/** Sorting more observations of a time range than this takes longer than reading the log in its order. */
const maxSorted = 50_000;

/**
 * The seq, to find the first or the last observation of a client. As an expression it has no index: without statistics of a new table,
 * PostgreSQL reads the whole log in its order until it meets the client.
 */
export const seqOfClient = sql<number>`observations.seq + 0`;

type Condition = (eb: ExpressionBuilder<StoreTables, 'observations'>) => Expression<SqlBool>;

/** Returns the condition of a filter on `observations`, or undefined if nothing that is stored can meet it. */
export async function findCondition(
  { db, engine }: { readonly db: Kysely<StoreTables>; readonly engine: StoreEngine },
  texts: TextIds,
  filter: HistoryFilter & LogRange,
): Promise<Condition | undefined> {
  const { clientId, streamId, sourceId, resourceName, version, errorText, typeUrls, kinds, vantages } =
    filter;
  const { followed } = filter;
  const clients = followed && [
    ...(
      await texts.find(
        db,
        followed.map((each) => textKey('client', each)),
      )
    ).values(),
  ];
  const keys = {
    source: keyOf('source', sourceId),
    client: keyOf('client', clientId),
    stream: keyOf('stream', streamId),
  };
  const terms = [keyOf('name', resourceName), keyOf('version', version)].filter((key) => key !== undefined);
  const wanted = [...Object.values(keys).filter((key) => key !== undefined), ...terms];
  const ids = await texts.find(db, wanted);
  if (ids.size < new Set(wanted).size || [kinds, vantages, typeUrls].some((list) => list?.length === 0))
    return undefined;
  const { from, to, afterSeq, beforeSeq, isRejection } = filter;
  // As an expression, the time is compared without its index.
  const at = (await isWide(db, filter))
    ? sql<number>`observations.at + 0`
    : sql.ref<number>('observations.at');
  const placeOf = (part: string) =>
    engine === 'sqlite'
      ? sql<number>`instr(texts.text, ${bytesOfText(part)})`
      : sql<number>`position(${bytesOfText(part)} in texts.text)`;
  /** The ids of texts that contain one of these parts. There are few different ones of these roles. */
  const textsWith = (
    eb: ExpressionBuilder<StoreTables, 'observations'>,
    role: 'types' | 'error',
    parts: readonly string[],
  ) =>
    eb
      .selectFrom('texts')
      .select('id')
      .where('role', '=', textRoles.indexOf(role))
      .where((text) => text.or(parts.map((part) => text(placeOf(part), '>', 0))));
  return (eb) => {
    const all: Expression<SqlBool>[] = [];
    for (const column of ['source', 'client', 'stream'] as const) {
      const id = ids.get(keys[column] ?? '');
      if (id !== undefined) all.push(eb(column, '=', id));
    }
    if (clients !== undefined)
      all.push(
        eb.or([
          eb('client', 'is', null),
          eb('kind', '=', kindNumber('load-reported')),
          ...(clients.length > 0 ? [eb('client', 'in', clients)] : []),
        ]),
      );
    if (afterSeq !== undefined) all.push(eb('seq', '>', afterSeq));
    if (beforeSeq !== undefined) all.push(eb('seq', '<', beforeSeq));
    // Stored times are whole, and PostgreSQL compares them with whole numbers only.
    if (from !== undefined) all.push(eb(at, '>=', Math.ceil(from)));
    if (to !== undefined) all.push(eb(at, '<=', Math.floor(to)));
    if (kinds !== undefined) all.push(eb('kind', 'in', kinds.map(kindNumber)));
    if (vantages !== undefined) all.push(eb('vantage', 'in', vantages.map(vantageNumber)));
    if (typeUrls !== undefined) {
      all.push(
        eb(
          'types',
          'in',
          textsWith(
            eb,
            'types',
            typeUrls.map((typeUrl) => joinTypes([typeUrl])),
          ),
        ),
      );
    }
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
      const errors = textsWith(eb, 'error', [errorText.toLowerCase()]);
      all.push(eb('seq', 'in', eb.selectFrom('terms').select('seq').where('text', 'in', errors)));
    }
    return eb.and(all);
  };
}

function keyOf(role: Parameters<typeof textKey>[0], text: string | undefined): TextKey | undefined {
  return text === undefined ? undefined : textKey(role, text);
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
