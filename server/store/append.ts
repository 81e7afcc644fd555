import type { Observation, Recorded } from '@/lib/observation/observation';
import type { Body } from '../observe';
import type { Bodies } from './bodies';
import { type BatchKey, isNewBatch } from './collectors';
import { addDensities } from './densities';
import { insertRows } from './insert-rows';
import { checkFences, type Fence } from './leases';
import { addPart } from './log-parts';
import { notify } from './notify';
import { fieldsOf } from './observation-row';
import { payloadsOf, sealPayloads } from './payloads';
import type { Gap } from './ranges';
import { saveGap } from './ranges';
import type { StoreDatabase, StoreTransaction } from './schema';
import type { TextIds } from './texts';

/** Observations in the order in which they were made. */
export interface LogBatch {
  readonly observations: readonly Observation[];
  /** The JSON of each observation, if the caller has it. */
  readonly lines?: readonly string[];
  /** Bodies that the observations name. Repeating a stored one is allowed and cheap. */
  readonly bodies?: readonly Body[];
  /** Recognises a batch that is sent again. */
  readonly key?: BatchKey;
  /** What each observation was made under, by index. One whose lease has another number by now is not stored. */
  readonly fences?: readonly (Fence | undefined)[];
}

/** Observations that the only writer of the store has numbered, in the order of their seqs. */
export interface NumberedBatch {
  readonly observations: readonly Recorded[];
  /** The JSON of each observation, without its seq. */
  readonly lines: readonly string[];
  readonly bodies: readonly Body[];
  readonly gaps: readonly Gap[];
}

interface Caches {
  readonly texts: TextIds;
  readonly bodies: Bodies;
}

const observationColumns = [
  ...(['seq', 'at', 'kind', 'vantage', 'source', 'client', 'stream', 'types', 'nonce', 'took'] as const),
  'rejected',
] as const;

/** Stores a batch in one transaction. Returns what was stored: nothing if the batch was stored before. */
export async function appendBatch(
  store: StoreDatabase,
  caches: Caches,
  { observations: given, lines: givenLines, bodies = [], key, fences = [] }: LogBatch,
): Promise<readonly Recorded[]> {
  try {
    return await inTransaction(store, caches, async (trx) => {
      const accepted = await checkFences(trx, fences);
      const isAccepted = (_: unknown, index: number): boolean => accepted[index] !== false;
      const observations = given.filter(isAccepted);
      const lines =
        givenLines?.filter(isAccepted) ?? observations.map((observation) => JSON.stringify(observation));
      // Other writers wait for this row until the end of the transaction, so that seqs are committed in their order.
      const { seq, texts_version } = await trx
        .updateTable('log_heads')
        .set((eb) => ({ seq: eb('seq', '+', observations.length) }))
        .where('id', '=', 1)
        .returning(['seq', 'texts_version'])
        .executeTakeFirstOrThrow();
      if (key !== undefined && !(await isNewBatch(trx, key))) throw new RepeatedBatch();
      const first = seq - observations.length + 1;
      const recorded = observations.map((observation, index) => ({ ...observation, seq: first + index }));
      if (recorded.length === 0) return recorded;
      await writeRows(trx, store, caches, { observations: recorded, lines, bodies }, texts_version);
      await notify(trx, store, 'log', seq);
      return recorded;
    });
  } catch (error) {
    if (error instanceof RepeatedBatch) return [];
    throw error;
  }
}

/**
 * Stores a batch in one transaction, without observations that are stored already: the writer repeats a batch if it does not
 * know that it was committed. Returns the observations that were new, and the number of bodies that were.
 */
export function writeNumbered(
  store: StoreDatabase,
  caches: Caches,
  { observations, lines, bodies, gaps }: NumberedBatch,
): Promise<{ readonly observations: readonly Recorded[]; readonly bodies: number }> {
  return inTransaction(store, caches, async (trx) => {
    const { seq, texts_version } = await trx.selectFrom('log_heads').selectAll().executeTakeFirstOrThrow();
    const found = observations.findIndex((each) => each.seq > seq);
    const from = found < 0 ? observations.length : found;
    const recorded = observations.slice(from);
    const newest = recorded.at(-1);
    if (newest !== undefined) await trx.updateTable('log_heads').set({ seq: newest.seq }).execute();
    for (const gap of gaps) await saveGap(trx, gap);
    const batch = { observations: recorded, lines: lines.slice(from), bodies };
    return { observations: recorded, bodies: await writeRows(trx, store, caches, batch, texts_version) };
  });
}

async function inTransaction<T>(
  store: StoreDatabase,
  { texts, bodies }: Caches,
  write: (trx: StoreTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await store.db.transaction().execute(write);
  } catch (error) {
    // What was stored in the transaction does not exist.
    texts.forget();
    bodies.forget();
    throw error;
  }
}

/** Returns the number of bodies that are new. */
async function writeRows(
  trx: StoreTransaction,
  store: StoreDatabase,
  caches: Caches,
  { observations, lines, bodies }: Omit<NumberedBatch, 'gaps'>,
  textsVersion: number,
): Promise<number> {
  const fields = observations.map(fieldsOf);
  const keys = new Set<string>();
  for (const { source, client, stream, types, terms } of fields) {
    keys.add(source);
    for (const text of [client, stream, types]) if (text !== null) keys.add(text);
    for (const term of terms) keys.add(term);
  }
  const ids = await caches.texts.assign(trx, keys, textsVersion);
  const idOf = (text: string | null) => (text === null ? null : ids.get(text));
  const seqAt = (index: number): number => observations[index]?.seq ?? 0;
  const rows = fields.map((each, index) => [
    ...[seqAt(index), each.at, each.kind, each.vantage, idOf(each.source), idOf(each.client)],
    ...[idOf(each.stream), idOf(each.types), each.nonce, each.took, each.rejected],
  ]);
  const terms = fields.flatMap((each, index) =>
    Array.from(each.terms, (term) => [ids.get(term) ?? 0, seqAt(index)] as const),
  );
  // Neighbours in the table are written together.
  terms.sort(([a], [b]) => a - b);
  await insertRows(trx, store, 'observations', observationColumns, rows);
  await insertRows(trx, store, 'terms', ['text', 'seq'], terms);
  for (let from = 0; from < lines.length; ) {
    let end = from + 1;
    while (end < lines.length && seqAt(end) === seqAt(end - 1) + 1) end++;
    for (const payload of payloadsOf(seqAt(from), lines.slice(from, end))) {
      await trx.insertInto('payloads').values(payload).execute();
    }
    from = end;
  }
  await sealPayloads(trx);
  await addPart(trx, observations);
  await addDensities(
    trx,
    fields.map((each) => ({ ...each, types: idOf(each.types) ?? null })),
  );
  return caches.bodies.store(trx, bodies, observations);
}

/** Rolls the transaction back. */
class RepeatedBatch extends Error {}
