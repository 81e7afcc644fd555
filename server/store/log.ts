import { sql } from 'kysely';
import { type ChurnEntry, churnEntryOf } from '@/lib/churn/churn-entry';
import { churnKinds } from '@/lib/churn/churn-index';
import { by } from '@/lib/collections/compare';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import { storedKinds } from '../recorder/blocks/block-columns';
import type {
  HistoryBucket,
  HistoryFilter,
  HistoryMarks,
  HistoryQuery,
  HistoryRow,
} from '../recorder/reader/history-query';
import type { ReadObservations } from '../recorder/recorder';
import type { Gap } from '../recorder/storage/state-stores';
import { findCondition, type LogRange } from './filter';
import { readGaps } from './gaps';
import { insertRows } from './insert-rows';
import { fieldsOf, singleType } from './observation-row';
import { pairMarks, readPairs } from './pairs';
import { payloadsOf, readLines, sealPayloads } from './payloads';
import type { StoreDatabase } from './schema';
import { bytesOfText } from './text-bytes';
import { TextIds } from './texts';

/** Observations in the order in which they were made, and the key by which a batch that is sent again is recognised. */
export interface LogBatch {
  readonly observations: readonly Observation[];
  /** `n` increases with each batch of a collector. */
  readonly key?: { readonly collector: string; readonly n: number };
}

export interface StoredText {
  readonly seq: number;
  readonly at: EpochMs;
  /** null if the observation has no client. */
  readonly clientId: string | null;
  readonly json: string;
}

/** Limits what one read returns: parsing more would block the event loop. */
const maxAnswerChars = 8 * 1024 * 1024;
const tailPage = 500;
/** Another process may have appended. */
const tailPollMs = 1_000;
const churnPage = 2_000;
/** Limits the parameters of one statement. */
const maxPage = 5_000;

const observationColumns = [
  ...(['seq', 'at', 'kind', 'vantage', 'source', 'client', 'stream', 'types', 'nonce', 'took'] as const),
  'rejected',
] as const;

/** The log of observations, and what is asked of it. The same on SQLite and on PostgreSQL. */
export class ObservationLog {
  readonly #store: StoreDatabase;
  readonly #clock: Clock;
  readonly #texts = new TextIds();
  #appended = 0;
  readonly #waiting = new Set<() => void>();

  constructor(store: StoreDatabase, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Stores a batch with the next seqs, and returns the first of them once it is on the disk; undefined if the collector's
   * batch was stored before.
   */
  async append({ observations, key }: LogBatch): Promise<number | undefined> {
    const fields = observations.map(fieldsOf);
    const keys = new Set<string>();
    for (const { source, client, stream, types, terms } of fields) {
      keys.add(source);
      if (client !== null) keys.add(client);
      if (stream !== null) keys.add(stream);
      if (types !== null) keys.add(types);
      for (const term of terms) keys.add(term);
    }
    const lines = observations.map((observation) => JSON.stringify(observation));
    const firstSeq = await this.#store.db
      .transaction()
      .execute(async (trx) => {
        // Other writers wait for this row until the end of the transaction, so that seqs are committed in their order.
        const { seq, texts_version } = await trx
          .updateTable('log_heads')
          .set((eb) => ({ seq: eb('seq', '+', observations.length) }))
          .where('id', '=', 1)
          .returning(['seq', 'texts_version'])
          .executeTakeFirstOrThrow();
        if (key !== undefined) {
          const id = bytesOfText(key.collector);
          const { numInsertedOrUpdatedRows: isNew } = await trx
            .insertInto('collectors')
            .values({ id, n: key.n })
            .onConflict((conflict) =>
              conflict.column('id').doUpdateSet({ n: key.n }).where('collectors.n', '<', key.n),
            )
            .executeTakeFirstOrThrow();
          if (isNew === 0n) throw new RepeatedBatch();
        }
        const first = seq - observations.length + 1;
        const ids = await this.#texts.assign(trx, keys, texts_version);
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
        await insertRows(trx, this.#store, 'observations', observationColumns, rows);
        await insertRows(trx, this.#store, 'terms', ['text', 'seq'], terms);
        for (const payload of payloadsOf(first, lines)) {
          await trx.insertInto('payloads').values(payload).execute();
        }
        await sealPayloads(trx);
        return first;
      })
      .catch((error: unknown) => {
        this.#texts.forget();
        if (error instanceof RepeatedBatch) return undefined;
        throw error;
      });
    this.#appended += 1;
    for (const wake of this.#waiting) wake();
    return firstSeq;
  }

  /** Returns matching observations by seq, with their pairs; fewer than the limit if they are large, but none only at the end. */
  async readHistory(query: HistoryQuery): Promise<HistoryRow[]> {
    const rows: HistoryRow[] = [];
    const places = await this.#readPage(query);
    const pairs = await readPairs(this.#store.db, places);
    let chars = 0;
    await readLines(this.#store.db, places, (json, index) => {
      const { seq = 0, at = 0 } = places[index] ?? {};
      const pair = pairs.get(seq);
      rows.push({
        seq,
        json,
        pairSeq: pair?.seq ?? null,
        pairMs: pair === undefined || pair.isReportedAgain ? null : Math.abs(pair.at - at),
      });
      chars += json.length;
      return chars < maxAnswerChars;
    });
    return rows;
  }

  /** Returns observations as JSON; fewer than the limit if they are large, but none only at the end. */
  async readObservationTexts(query: ReadObservations): Promise<StoredText[]> {
    const found: StoredText[] = [];
    const places = await this.#readPage(query);
    const clients = await this.#texts.textsOf(
      this.#store.db,
      places.map(({ client }) => client),
    );
    let chars = 0;
    await readLines(this.#store.db, places, (json, index) => {
      const { seq = 0, at = 0, client = null } = places[index] ?? {};
      if (found.length > 0 && chars + json.length > maxAnswerChars) return false;
      found.push({ seq, at, clientId: client === null ? null : (clients.get(client) ?? null), json });
      chars += json.length;
      return true;
    });
    return found;
  }

  async readObservations(query: ReadObservations): Promise<Recorded[]> {
    const texts = await this.readObservationTexts(query);
    return texts.map(({ seq, json }) => ({ ...(JSON.parse(json) as Observation), seq }));
  }

  async #readPage({ limit, order, ...filter }: HistoryQuery) {
    const condition = await findCondition(this.#store, this.#texts, filter);
    if (condition === undefined || limit <= 0) return [];
    return this.#store.db
      .selectFrom('observations')
      .select(['seq', 'at', 'kind', 'client', 'stream', 'types', 'nonce'])
      .select((eb) =>
        eb
          .selectFrom('payloads')
          .select((max) => max.fn.max('first_seq').as('payload'))
          .whereRef('first_seq', '<=', 'observations.seq')
          .as('payload'),
      )
      .where(condition)
      .orderBy('seq', order)
      .limit(Math.min(limit, maxPage))
      .execute();
  }

  async countHistory(filter: HistoryFilter & LogRange): Promise<number> {
    const condition = await findCondition(this.#store, this.#texts, filter);
    if (condition === undefined) return 0;
    const { n } = await this.#store.db
      .selectFrom('observations')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where(condition)
      .executeTakeFirstOrThrow();
    return n;
  }

  /** Returns all matching observations as marks, or only their number if there are more than `limit`. */
  async readMarks(filter: HistoryFilter, limit: number): Promise<HistoryMarks> {
    const { db } = this.#store;
    const [total, gaps] = [await this.countHistory(filter), await readGaps(db, filter.from, filter.to)];
    const condition = total > limit ? undefined : await findCondition(this.#store, this.#texts, filter);
    if (condition === undefined) return { marks: [], total, gaps };
    const rows = await db
      .selectFrom('observations')
      .select(['seq', 'at', 'kind', 'source', 'client', 'stream', 'types', 'nonce', 'took'])
      .where(condition)
      .orderBy('seq')
      .execute();
    const ids = new Set(rows.flatMap(({ source, client, stream, types }) => [source, client, stream, types]));
    const texts = await this.#texts.textsOf(db, ids);
    return { marks: pairMarks(rows, texts), total, gaps };
  }

  /** Counts observations by bucket of time, kind and type, oldest first. Empty buckets are left out. */
  async readDensity(filter: HistoryFilter, bucketMs: number): Promise<HistoryBucket[]> {
    const { db } = this.#store;
    const condition = await findCondition(this.#store, this.#texts, filter);
    if (condition === undefined) return [];
    // The remainder of a time before 1970 is negative.
    const width = sql.lit(Math.ceil(bucketMs));
    const rows = await db
      .selectFrom('observations')
      .select(['kind', 'types', sql<number>`at - ((at % ${width}) + ${width}) % ${width}`.as('bucket')])
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(condition)
      .groupBy(['bucket', 'kind', 'types'])
      .execute();
    const texts = await this.#texts.textsOf(db, new Set(rows.map(({ types }) => types)));
    const buckets = new Map<string, HistoryBucket>();
    for (const { bucket: at, kind: number, types, count } of rows) {
      const typeUrl = singleType(types === null ? undefined : texts.get(types)) ?? null;
      const kind = storedKinds[number] ?? 'lab-event';
      const key = `${at} ${kind} ${typeUrl}`;
      buckets.set(key, { at, typeUrl, kind, count: count + (buckets.get(key)?.count ?? 0) });
    }
    return [...buckets.values()].sort(by(({ at }) => at));
  }

  /** Visits the churn entries of a range (both ends included) in the order of the log. Returns their number. */
  async readChurn(
    range: { readonly from: EpochMs; readonly to: EpochMs; readonly clientId?: string },
    visit: (entry: ChurnEntry) => void,
    signal?: AbortSignal,
  ): Promise<number> {
    let read = 0;
    for (let afterSeq = 0; ; ) {
      signal?.throwIfAborted();
      const query = { ...range, kinds: churnKinds, afterSeq, limit: churnPage, order: 'asc' } as const;
      const places = await this.#readPage(query);
      await readLines(this.#store.db, places, (json, index) => {
        const seq = places[index]?.seq ?? 0;
        const entry = churnEntryOf({ ...(JSON.parse(json) as Observation), seq });
        if (entry !== undefined) visit(entry);
        if (entry !== undefined) read += 1;
        return true;
      });
      const last = places.at(-1);
      if (last === undefined) return read;
      afterSeq = last.seq;
    }
  }

  readGaps(from?: EpochMs, to?: EpochMs): Promise<Gap[]> {
    return readGaps(this.#store.db, from, to);
  }

  /** Yields what follows `afterSeq`, in pages, and then what is appended, also by other processes, until it is aborted. */
  async *tail(afterSeq: number, signal: AbortSignal): AsyncGenerator<Recorded[], void> {
    for (let reached = afterSeq; !signal.aborted; ) {
      const seen = this.#appended;
      const page = await this.readObservations({ afterSeq: reached, limit: tailPage, order: 'asc' });
      const last = page.at(-1);
      if (last !== undefined) {
        yield page;
        reached = last.seq;
      } else if (seen === this.#appended) await this.#appendedOrPolled(signal);
    }
  }

  #appendedOrPolled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel();
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = this.#clock.setTimeout(wake, tailPollMs);
      signal.addEventListener('abort', wake);
      this.#waiting.add(wake);
    });
  }
}

/** Rolls the transaction back. */
class RepeatedBatch extends Error {}
