import { sql } from 'kysely';
import { by } from '@/lib/collections/compare';
import type { EpochMs } from '@/lib/xds/units';
import { countMinutes, divideMinutes, minuteMs, readMinutes } from './densities';
import { findCondition, type LogRange } from './filter';
import type { HistoryBucket, HistoryFilter, HistoryMarks, HistoryQuery, HistoryRow } from './history-query';
import { singleType } from './observation-row';
import { pairMarks, readPairs } from './pairs';
import { readLines } from './payloads';
import { readGaps } from './ranges';
import type { StoreDatabase } from './schema';
import { storedKinds } from './stored-kinds';
import type { TextIds } from './texts';

export interface StoredText {
  readonly seq: number;
  readonly at: EpochMs;
  /** null if the observation has no client. */
  readonly clientId: string | null;
  readonly json: string;
}

/** Limits what one read returns: parsing more would block the event loop. */
const maxAnswerChars = 8 * 1024 * 1024;
/** Limits the parameters of one statement. */
const maxPage = 5_000;

/** What is asked of the observations by time, kind, client, name and text. */
export class LogHistory {
  readonly #store: StoreDatabase;
  readonly #texts: TextIds;

  constructor(store: StoreDatabase, texts: TextIds) {
    this.#store = store;
    this.#texts = texts;
  }

  /** Returns matching observations by seq, with their pairs; fewer than the limit if they are large, but none only at the end. */
  async readRows(query: HistoryQuery): Promise<HistoryRow[]> {
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
  async readTexts(query: HistoryQuery): Promise<StoredText[]> {
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

  async #readPage(query: HistoryQuery) {
    const { limit, order } = query;
    const condition = await findCondition(this.#store, this.#texts, query);
    if (condition === undefined || limit <= 0) return [];
    const { db } = this.#store;
    // The seqs are found and sorted alone, for which an index may suffice.
    const seqs = db
      .selectFrom('observations')
      .select('seq')
      .where(condition)
      .orderBy('seq', order)
      .limit(Math.min(limit, maxPage));
    return db
      .selectFrom('observations')
      .select(['seq', 'at', 'kind', 'client', 'stream', 'types', 'nonce'])
      .select((eb) =>
        eb
          .selectFrom('payloads')
          .select((max) => max.fn.max('first_seq').as('payload'))
          .whereRef('first_seq', '<=', 'observations.seq')
          .as('payload'),
      )
      .where('seq', 'in', seqs)
      .orderBy('seq', order)
      .execute();
  }

  async count(filter: HistoryFilter & LogRange): Promise<number> {
    const divided = divideMinutes(filter);
    if (divided === undefined) return this.#countRows(filter);
    let count = divided.minutes === undefined ? 0 : await countMinutes(this.#store.db, divided.minutes);
    for (const edge of divided.edges) count += await this.#countRows(edge);
    return count;
  }

  async #countRows(filter: HistoryFilter & LogRange): Promise<number> {
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
    const [total, gaps] = [await this.count(filter), await readGaps(db, filter.from, filter.to)];
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
    const { minutes, edges } = (bucketMs % minuteMs === 0 && divideMinutes(filter)) || { edges: [filter] };
    const counted = minutes === undefined ? [] : await readMinutes(db, minutes, bucketMs);
    const ofEdges = await Promise.all(edges.map((edge) => this.#countBuckets(edge, bucketMs)));
    const rows = [...counted, ...ofEdges.flat()];
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

  async #countBuckets(filter: HistoryFilter, bucketMs: number) {
    const condition = await findCondition(this.#store, this.#texts, filter);
    if (condition === undefined) return [];
    // The remainder of a time before 1970 is negative.
    const width = sql.lit(Math.ceil(bucketMs));
    return this.#store.db
      .selectFrom('observations')
      .select(['kind', 'types', sql<number>`at - ((at % ${width}) + ${width}) % ${width}`.as('bucket')])
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(condition)
      .groupBy(['bucket', 'kind', 'types'])
      .execute();
  }
}
