import type { ChurnEntry } from '@/lib/churn/churn-entry';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Body, Clock } from '../observe';
import { nextTurn } from '../workers/threads/in-slices';
import { appendBatch, type LogBatch, type NumberedBatch, writeNumbered } from './append';
import { BaseRoller } from './base-roller';
import { Bodies } from './bodies';
import type { CheckpointStore } from './checkpoints';
import {
  foldClientAt,
  readHistoryBase,
  readStoredClientAt,
  type StoredClientAt,
  type StoredHistoryBase,
} from './client-at';
import { ClientStates } from './client-states';
import { newestOfCollector } from './collectors';
import type { LogRange } from './filter';
import { measureGrowth } from './growth';
import type {
  ClientAt,
  HistoryBucket,
  HistoryFilter,
  HistoryMarks,
  HistoryQuery,
  HistoryRow,
} from './history-query';
import { LogHistory, type StoredText } from './log-history';
import { readChurn, readNewestSeq } from './log-parts';
import {
  listPermalinks,
  readPermalink,
  type StoredPermalink,
  savePermalink,
  totalPermalinks,
} from './permalinks';
import type { Gap, GapTotals, Pin } from './ranges';
import { addPin, readGaps, readPins, removePin, restorePins, saveGap, totalGaps } from './ranges';
import { Retention, type RetentionRound, type RetentionSteps, runRetention } from './retention';
import type { StoreDatabase } from './schema';
import { TextIds } from './texts';

interface LogHeads {
  /** The newest seq that was assigned, or 0. */
  readonly newestSeq: number;
  readonly checkpointSeq: number;
  /** Time of the oldest observation. Absent if there is none. */
  readonly oldestAt?: EpochMs;
  /** `newestSeq` is the highest missing seq, or 0 if there is no gap. */
  readonly gaps: GapTotals & { readonly newestSeq: number };
}

const tailPage = 500;
/** Another process may have appended. */
const tailPollMs = 1_000;

/** The log of observations, and what is asked of it. The same on SQLite and on PostgreSQL. */
export class ObservationLog {
  readonly #store: StoreDatabase;
  readonly #clock: Clock;
  readonly #texts = new TextIds();
  readonly #bodies = new Bodies();
  readonly #history: LogHistory;
  readonly #retention: Retention;
  readonly #states: ClientStates;
  #appended = 0;
  readonly #waiting = new Set<() => void>();

  /** `pause` lets others work between two steps of retention. */
  constructor(store: StoreDatabase, clock: Clock, pause: () => Promise<void> = nextTurn) {
    this.#store = store;
    this.#clock = clock;
    this.#history = new LogHistory(store, this.#texts);
    const parts = {
      ...{ store, texts: this.#texts, bodies: this.#bodies },
      readAfter: (afterSeq: number) => this.readObservations({ afterSeq, limit: tailPage, order: 'asc' }),
    };
    this.#states = new ClientStates(parts);
    this.#retention = new Retention({
      ...{ ...parts, pause },
      bases: new BaseRoller({ ...parts, states: this.#states, pause }),
    });
  }

  /**
   * Stores a batch with the next seqs, and returns the first of them once it is on the disk; undefined if nothing was stored:
   * the collector's batch was stored before, or the fences of all its observations are outdated.
   */
  async append(batch: LogBatch): Promise<number | undefined> {
    const stored = await appendBatch(this.#store, { texts: this.#texts, bodies: this.#bodies }, batch);
    this.#states.note(stored);
    this.#wake();
    return stored[0]?.seq;
  }

  /** Stores observations with the seqs that the only writer of the store gave them. */
  async write(batch: NumberedBatch): ReturnType<typeof writeNumbered> {
    const written = await writeNumbered(this.#store, { texts: this.#texts, bodies: this.#bodies }, batch);
    if (batch.gaps.length > 0) this.#states.reset();
    this.#states.note(written.observations);
    this.#wake();
    return written;
  }

  #wake(): void {
    this.#appended += 1;
    for (const wake of this.#waiting) wake();
  }

  /** See LogHistory, also for the four that follow. */
  readHistory(query: HistoryQuery): Promise<HistoryRow[]> {
    return this.#history.readRows(query);
  }

  readObservationTexts(query: HistoryQuery): Promise<StoredText[]> {
    return this.#history.readTexts(query);
  }

  countHistory(filter: HistoryFilter & LogRange): Promise<number> {
    return this.#history.count(filter);
  }

  readMarks(filter: HistoryFilter, limit: number): Promise<HistoryMarks> {
    return this.#history.readMarks(filter, limit);
  }

  readDensity(filter: HistoryFilter, bucketMs: number): Promise<HistoryBucket[]> {
    return this.#history.readDensity(filter, bucketMs);
  }

  async readObservations(query: HistoryQuery): Promise<Recorded[]> {
    const texts = await this.readObservationTexts(query);
    return texts.map(({ seq, json }) => ({ ...(JSON.parse(json) as Observation), seq }));
  }

  /** Returns those of the bodies that are stored, and keeps them for the next append(). */
  keepBodies(hashes: ReadonlySet<string>): Promise<Set<string>> {
    return this.#bodies.renew(this.#store.db, hashes);
  }

  /** The number of the newest batch of a collector, or 0 before its first. */
  newestOfCollector(collector: string): Promise<number> {
    return newestOfCollector(this.#store.db, collector);
  }

  /** Returns at most one body per hash; unknown hashes are left out. Without a type URL, the type may be any. */
  readBodies(hashes: Iterable<string>, typeUrl?: string): Promise<Map<string, Body>> {
    return this.#bodies.read(this.#store.db, hashes, typeUrl);
  }

  /** Visits the churn entries of a range (both ends included) in the order of the log. Returns their number. */
  readChurn(
    range: Parameters<typeof readChurn>[1],
    visit: (entry: ChurnEntry) => void,
    signal?: AbortSignal,
  ): Promise<number> {
    return readChurn(this.#store.db, range, visit, signal);
  }

  /** What a client at a moment consists of, for foldClientAt(). undefined if the log has no observation of it until then. */
  readStoredClientAt(
    clientId: string,
    at: EpochMs | { readonly seq: number },
  ): Promise<StoredClientAt | undefined> {
    return readStoredClientAt(this.#store, this.#texts, clientId, at);
  }

  async readClientAt(
    clientId: string,
    at: EpochMs | { readonly seq: number },
  ): Promise<ClientAt | undefined> {
    const stored = await this.readStoredClientAt(clientId, at);
    return stored && foldClientAt(stored);
  }

  readHistoryBase(clientId: string, until: EpochMs, from?: EpochMs): Promise<StoredHistoryBase | undefined> {
    return readHistoryBase(this.#store, this.#texts, clientId, until, from);
  }

  /**
   * Folds some of what was appended, or stores some snapshots of clients, in some 10 ms. Returns whether there is more to do.
   * Should be called after each append, except during a rush. Calls must not overlap.
   */
  followClients(): Promise<boolean> {
    return this.#states.step();
  }

  /** All observations up to this seq were folded. undefined if that is not known, as at the start. */
  get followedSeq(): number | undefined {
    return this.#states.reached;
  }

  keepBases(): Promise<void> {
    return this.#states.keepBases();
  }

  /** For Checkpoints. */
  get checkpoints(): CheckpointStore {
    return this.#states;
  }

  countBodies(): Promise<number> {
    return this.#bodies.count(this.#store.db);
  }

  /** Must be called before each read of a process or thread that does not write: another one may have deleted texts. */
  async forgetDeletedTexts(): Promise<void> {
    const { db } = this.#store;
    const { texts_version } = await db
      .selectFrom('log_heads')
      .select('texts_version')
      .executeTakeFirstOrThrow();
    this.#texts.follow(texts_version);
  }

  async readTotals(): Promise<LogHeads & { readonly observations: number }> {
    return { ...(await this.readHeads()), observations: await this.countHistory({}) };
  }

  readNewestSeq(): Promise<number> {
    return readNewestSeq(this.#store.db);
  }

  /** Returns the newest observation, and whether the successor of another one is stored. */
  async findTail(afterSeq: number) {
    const { db } = this.#store;
    const newestSeq = await readNewestSeq(db);
    const found = await db
      .selectFrom('observations')
      .select(['seq', 'at'])
      .where('seq', 'in', [afterSeq + 1, newestSeq])
      .execute();
    const findAt = (seq: number): EpochMs | undefined => found.find((each) => each.seq === seq)?.at;
    return { newestSeq, newestAt: findAt(newestSeq) ?? null, hasNext: findAt(afterSeq + 1) !== undefined };
  }

  /** Reads what takes the same time however long the log is. */
  async readHeads(): Promise<LogHeads> {
    const { db } = this.#store;
    const heads = await db.selectFrom('log_heads').selectAll().executeTakeFirstOrThrow();
    const oldest = await db
      .selectFrom('observations')
      .select('at')
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return {
      newestSeq: heads.seq,
      checkpointSeq: heads.checkpoint_seq,
      ...(oldest && { oldestAt: oldest.at }),
      gaps: await totalGaps(db),
    };
  }

  readGaps(from?: EpochMs, to?: EpochMs): Promise<Gap[]> {
    return readGaps(this.#store.db, from, to);
  }

  /** States that observations were not recorded. Replaces the gap with the same fromSeq. */
  async saveGap(gap: Gap): Promise<void> {
    await saveGap(this.#store.db, gap);
    this.#states.reset();
  }

  /** Retention keeps the observations of the range from now on. undefined if there are too many pins. */
  pin(range: Omit<Pin, 'id'>): Promise<Pin | undefined> {
    return addPin(this.#store.db, range);
  }

  savePermalink(
    permalink: StoredPermalink,
    hashes: readonly string[],
    limit: number,
  ): ReturnType<typeof savePermalink> {
    return savePermalink(this.#store, permalink, hashes, limit);
  }

  /** Stores a permalink of another store with its bodies, unless it is stored. */
  async addPermalink(
    permalink: StoredPermalink,
    bodies: readonly Body[],
    hashes: readonly string[],
  ): Promise<void> {
    if ((await this.readPermalink(permalink.id)) !== undefined) return;
    const added = { store: this.#bodies, added: bodies };
    await savePermalink(this.#store, permalink, hashes, Number.MAX_SAFE_INTEGER, added);
  }

  listPermalinks(after: string, limit: number): ReturnType<typeof listPermalinks> {
    return listPermalinks(this.#store, after, limit);
  }

  readPermalink(id: string): ReturnType<typeof readPermalink> {
    return readPermalink(this.#store, id);
  }

  totalPermalinks(): ReturnType<typeof totalPermalinks> {
    return totalPermalinks(this.#store.db);
  }

  measureGrowth(
    whole: Parameters<typeof measureGrowth>[1],
    now: EpochMs,
    windowMs: number,
  ): ReturnType<typeof measureGrowth> {
    return measureGrowth(this.#store.db, whole, now, windowMs);
  }

  restorePins(pins: readonly Pin[]): Promise<void> {
    return restorePins(this.#store.db, pins);
  }

  /** Returns whether the pin existed. The next round of retention may delete its observations. */
  unpin(id: number): Promise<boolean> {
    return removePin(this.#store.db, id);
  }

  /** Returns the pins in the order in which their ranges begin. */
  pins(): Promise<Pin[]> {
    return readPins(this.#store.db);
  }

  /** Must be called when the state of all clients up to `seq` is stored: retention may delete what is before. */
  async advanceCheckpoint(seq: number): Promise<void> {
    await this.#store.db
      .updateTable('log_heads')
      .set({ checkpoint_seq: seq })
      .where('checkpoint_seq', '<', seq)
      .execute();
  }

  /** For runRetention(). */
  get retention(): RetentionSteps {
    return this.#retention;
  }

  /** Brings the log within its limits. Returns the number of deleted observations. */
  applyRetention(round: RetentionRound): Promise<number> {
    return runRetention(this.#retention, round);
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
