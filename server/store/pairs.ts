import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { Observation } from '@/lib/observation/observation';
import type { HistoryMark } from '@/lib/views/history/build-history-marks';
import type { EpochMs } from '@/lib/xds/units';
import { kindNumber, singleType } from './observation-row';
import type { StoreTables } from './schema';
import { storedKinds } from './stored-kinds';

/** What a response and the requests that answer it have in common. */
interface Paired {
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind: number;
  readonly stream: number | null;
  readonly types: number | null;
  readonly nonce: number | null;
}

interface Pair {
  readonly seq: number;
  readonly at: EpochMs;
  /** A client repeats its NACK in the next request with changed names. Such a NACK does not answer a new response. */
  readonly isReportedAgain: boolean;
}

const response = kindNumber('response-received');
const answers = [kindNumber('ack-sent'), kindNumber('nack-sent')];
const pairedKinds = [response, ...answers];

/** Returns, by seq, the next answer to each response, and the response before each answer. */
export async function readPairs(
  db: Kysely<StoreTables>,
  rows: readonly Paired[],
): Promise<ReadonlyMap<number, Pair>> {
  const seqs = rows
    .filter(({ kind, nonce }) => nonce !== null && pairedKinds.includes(kind))
    .map(({ seq }) => seq);
  const pairs = new Map<number, Pair>();
  if (seqs.length === 0) return pairs;
  const found = await db
    .selectFrom('observations as o')
    .select(['o.seq', 'o.kind'])
    .select((eb) => nearest(eb, 'after', answers).as('answer'))
    .select((eb) => nearest(eb, 'before', [response]).as('response'))
    .select((eb) => nearest(eb, 'before', answers).as('earlier'))
    .where('o.seq', 'in', seqs)
    .execute();
  const others = found.map((row) => (row.kind === response ? row.answer : row.response));
  const wanted = [...new Set(others.filter((seq) => seq !== null))];
  if (wanted.length === 0) return pairs;
  const ats = await db.selectFrom('observations').select(['seq', 'at']).where('seq', 'in', wanted).execute();
  const atOf = new Map(ats.map(({ seq, at }) => [seq, at]));
  for (const [index, row] of found.entries()) {
    const seq = others[index] ?? null;
    const at = seq === null ? undefined : atOf.get(seq);
    if (seq === null || at === undefined) continue;
    pairs.set(row.seq, { seq, at, isReportedAgain: row.kind !== response && (row.earlier ?? 0) > seq });
  }
  return pairs;
}

type OfObservation = ExpressionBuilder<StoreTables & { readonly o: StoreTables['observations'] }, 'o'>;

/** The nearest observation of some kinds with the same stream, nonce and types. */
function nearest(eb: OfObservation, side: 'before' | 'after', kinds: readonly number[]) {
  return (
    eb
      .selectFrom('observations as p')
      .select('p.seq')
      .whereRef('p.stream', '=', 'o.stream')
      .whereRef('p.nonce', '=', 'o.nonce')
      .whereRef('p.seq', side === 'before' ? '<' : '>', 'o.seq')
      // As an expression: the index of types, of which there are few, must not be chosen.
      .where(sql<number>`p.types + 0`, '=', eb.ref('o.types'))
      .where('p.kind', 'in', kinds)
      .orderBy('p.seq', side === 'before' ? 'desc' : 'asc')
      .limit(1)
  );
}

interface MarkRow extends Paired {
  readonly source: number;
  readonly client: number | null;
  readonly took: number | null;
}

/** Builds marks, oldest first, and pairs those of the same stream, nonce and types. */
export function pairMarks(rows: readonly MarkRow[], texts: ReadonlyMap<number, string>): HistoryMark[] {
  const textOf = (id: number | null) => (id === null ? undefined : texts.get(id));
  const marks: { -readonly [K in keyof HistoryMark]: HistoryMark[K] }[] = [];
  const responses = new Map<string, (typeof marks)[number]>();
  for (const { seq, at, kind, source, client, stream, types, nonce, took } of rows) {
    const mark: (typeof marks)[number] = {
      ...{ seq, at, kind: kindOf(kind), sourceId: textOf(source) ?? '', clientId: textOf(client) },
      streamId: textOf(stream),
      typeUrl: singleType(textOf(types)),
      tookMs: took === null ? null : took / 1000,
      pairSeq: null,
    };
    marks.push(mark);
    if (nonce === null) continue;
    const key = `${stream} ${types} ${nonce}`;
    if (kind === response) responses.set(key, mark);
    const paired = answers.includes(kind) ? responses.get(key) : undefined;
    if (paired === undefined) continue;
    mark.pairSeq = paired.seq;
    // A repeated NACK has no duration.
    if (paired.pairSeq === null) mark.tookMs ??= Math.max(0, mark.at - paired.at);
    paired.pairSeq ??= mark.seq;
  }
  return marks;
}

function kindOf(number: number): Observation['kind'] {
  return storedKinds[number] ?? 'lab-event';
}
