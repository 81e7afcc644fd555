import { messageOf } from '@/lib/format/message-of';
import { LoadGatherer } from '@/lib/load/gather-load';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import type { LoadGroup, LoadGrouping, LoadMeasure, LoadSort } from '@/lib/load/load-question';
import {
  ceilTo,
  floorTo,
  hourMs,
  type LoadSpan,
  minuteMs,
  planLoadReading,
} from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import type { FoundSeries, NewSeries } from '../../store/load/load-rows';
import { LoadTables } from '../../store/load/load-tables';
import { readRawAfter, readSeriesOf } from '../../store/load/raw-blocks';
import {
  type PackedLoad,
  packSeries,
  readWaiting,
  removeWaiting,
  unpackSeries,
} from '../../store/load/waiting-load';
import { Turns } from '../../turns';
import { excerptLoad, firstPart, type LoadExcerptQuestion } from './excerpt-load';
import { cellMs } from './fleet-cells';
import { LoadBatcher } from './load-batcher';
import { readLoadValues } from './load-block';
import { keepLoadWithin, type LoadRetention } from './load-retention';
import { type LoadBatch, LoadStore } from './load-store';
import type { OpenedLoad } from './open-load-file';
import { type FindLoadSum, type LoadRows, readFleet, readLoad } from './read-load';

export interface LoadReadQuestion {
  readonly by: LoadGrouping;
  readonly cluster?: string;
  readonly clientId?: string;
  readonly span: LoadSpan;
  /** The end of the span is not rounded up to a whole step. */
  readonly endsExactly?: boolean;
  /** A multiple of a second, or null for totals only. */
  readonly stepMs: number | null;
  readonly measures: readonly LoadMeasure[];
  readonly limit: number;
  /** The order of the groups. By default, the largest come first. */
  readonly sort?: LoadSort;
}

export interface LoadAnswer {
  /** The span that was read: the requested one in whole steps, or a wider one of minutes or hours. */
  readonly span: LoadSpan;
  /** The requested step, or a longer one where no shorter one is stored. */
  readonly stepMs: number | null;
  readonly groups: readonly LoadGroup[];
  readonly others?: LoadGroup | undefined;
  readonly othersCount: number;
}

export type LoadJobs = {
  readonly open: {
    readonly input: null;
    readonly output: {
      readonly nextRawId: number;
      readonly series: readonly NewSeries[];
    };
  };
  readonly append: { readonly input: LoadBatch; readonly output: null };
  /** Does one step of roll-up or retention, and returns whether there is more to do. */
  readonly tidy: {
    readonly input: { readonly now: EpochMs; readonly retention: LoadRetention };
    readonly output: boolean;
  };
  readonly read: { readonly input: LoadReadQuestion; readonly output: LoadAnswer };
  readonly excerpt: { readonly input: LoadExcerptQuestion; readonly output: LoadExcerpt };
  /** Returns the first part of a span and the beginning of the next part, or null as the latter if there is none. */
  readonly excerptPart: {
    readonly input: Omit<LoadExcerptQuestion, 'stepMs'>;
    readonly output: { readonly excerpt: LoadExcerpt; readonly next: EpochMs | null };
  };
  /** Returns some raw blocks that were appended after one, in order, for another recorder. */
  readonly blocksAfter: {
    readonly input: { readonly after: number };
    readonly output: readonly NumberedBlock[];
  };
  /** Records some of what collectors have forwarded into a shared store. */
  readonly takeWaiting: { readonly input: null; readonly output: TakenLoad };
  readonly close: { readonly input: null; readonly output: null };
};

export interface NumberedBlock extends PackedLoad {
  readonly id: number;
  readonly firstAt: EpochMs;
  /** The sources that reported its values. */
  readonly sourceIds: readonly string[];
}

export interface TakenLoad {
  /** Reports on clusters that were recorded, and lines of reports that were not, because they exceed the limits of series. */
  readonly reports: number;
  readonly leftOut: number;
  /** The clients whose load was recorded. */
  readonly clientIds: ReadonlySet<string>;
  /** Why a block was not recorded; empty if all were. */
  readonly problem: string;
  readonly isMore: boolean;
}

interface OpenedStore extends OpenedLoad {
  readonly store: LoadStore;
  /** What the process numbers that records what others have forwarded. */
  batcher?: LoadBatcher;
}

const blocksAtOnce = 32;

/** Runs the jobs one after the other; the first one opens the tables. */
export class LoadJobRunner {
  readonly #open: () => Promise<OpenedLoad>;
  readonly #fleetFrom: number;

  readonly #turns = new Turns();
  #opened: OpenedStore | undefined;

  /** With fewer than `fleetFrom` series of clients, charts are computed from each series, for exact rates. */
  constructor(open: () => Promise<OpenedLoad>, fleetFrom = 2_000) {
    this.#open = open;
    this.#fleetFrom = fleetFrom;
  }

  open(): Promise<LoadJobs['open']['output']> {
    return this.#turns.take(async () => {
      const { storage, nextRawId } = (await this.#ready()).store;
      return { nextRawId, series: await numberedSeries(storage) };
    });
  }

  append(batch: LoadBatch): Promise<null> {
    return this.#turns.take(async () => {
      const { store, assertInPlace } = await this.#ready();
      assertInPlace();
      await store.append(batch);
      return null;
    });
  }

  tidy({ now, retention }: LoadJobs['tidy']['input']): Promise<boolean> {
    return this.#turns.take(async () => {
      const { store, assertInPlace } = await this.#ready();
      assertInPlace();
      await store.assertNewest();
      return (await store.roll(now)) || keepLoadWithin(store.storage, retention, now);
    });
  }

  read(question: LoadReadQuestion): Promise<LoadAnswer> {
    return this.#reading((rows) => this.#read(rows, question));
  }

  async #read(rows: LoadRows, question: LoadReadQuestion): Promise<LoadAnswer> {
    const { by, stepMs: requested, measures, limit, sort, endsExactly = false } = question;
    const reach = await rows.storage.reach();
    const stepMs = requested === null ? null : stepWithin(requested, question.span.from, reach);
    const wanted =
      stepMs === null
        ? question.span
        : {
            from: floorTo(question.span.from, stepMs),
            to: endsExactly ? question.span.to : ceilTo(question.span.to, stepMs),
          };
    const plan = planLoadReading(wanted, coarsestOf(stepMs), reach);
    const fleet = await this.#findFleet(rows, question, stepMs);
    const series = fleet ?? (await findSeriesOfClients(rows, question));
    const gatherer = new LoadGatherer(series, by, fleet && { stepMs: stepMs ?? 0, span: plan.span });
    const { from } = plan.span;
    const chosen = series.filter(({ id }) => gatherer.isWanted(id));
    const sumOf: FindLoadSum = (id, kind, beginsAt) =>
      gatherer.sumOf(id, kind, stepMs === null ? 0 : Math.floor((beginsAt - from) / stepMs));
    if (fleet !== undefined) await readFleet(rows, plan, chosen, sumOf);
    else await readLoad(rows, plan, chosen, sumOf, stepMs === null);
    const steps = stepMs === null ? 0 : Math.ceil((plan.span.to - from) / stepMs);
    return { span: plan.span, stepMs, ...gatherer.finish(measures, steps, limit, sort) };
  }

  /**
   * Returns the fleet's series if they suffice, which they do for totals and for charts of many clients. They do not if
   * a tap and another source report the same cluster, because a report observed by both must count once.
   */
  async #findFleet(
    { storage, fleet }: LoadRows,
    { by, cluster, clientId }: LoadReadQuestion,
    stepMs: number | null,
  ): Promise<readonly FoundSeries[] | undefined> {
    const isOfClients = clientId !== undefined || by === 'client' || by === 'client-locality';
    if (isOfClients) return undefined;
    if (!fleet.isComplete) return undefined;
    if (stepMs !== null && (stepMs % cellMs !== 0 || fleet.count < this.#fleetFrom)) return undefined;
    const series = await storage.readSeries({ cluster }, 'fleet');
    return series.length > 0 && !isReportedTwice(series) ? series : undefined;
  }

  excerpt(question: LoadExcerptQuestion): Promise<LoadExcerpt> {
    return this.#reading((rows) => excerptLoad(rows, question));
  }

  excerptPart({
    span,
    ...whose
  }: LoadJobs['excerptPart']['input']): Promise<LoadJobs['excerptPart']['output']> {
    return this.#reading(async (rows) => {
      const from = Math.min(span.to, (await findRecorded(rows.storage, span.from)) ?? span.to);
      const { part, next } = firstPart({ from, to: span.to }, await rows.storage.reach());
      const following = next === null ? null : await findRecorded(rows.storage, next);
      return {
        excerpt: await excerptLoad(rows, { span: part, ...whose, stepMs: null }),
        next: following !== null && following < span.to ? following : null,
      };
    });
  }

  blocksAfter({ after }: LoadJobs['blocksAfter']['input']): Promise<LoadJobs['blocksAfter']['output']> {
    return this.#turns.take(async () => {
      const { database } = await this.#ready();
      const blocks = await readRawAfter(database, after, blocksAtOnce);
      const packed: NumberedBlock[] = [];
      for (const block of blocks) {
        const ids = new Set<number>();
        readLoadValues(block.bytes, (id) => ids.add(id));
        const series = await readSeriesOf(database, [...ids]);
        const sourceIds = [...new Set(series.map((each) => each.series.scope.sourceId))];
        packed.push({ ...block, sourceIds, series: packSeries(series) });
      }
      return packed;
    });
  }

  takeWaiting(): Promise<TakenLoad> {
    return this.#turns.take(() => this.#takeWaiting());
  }

  /** After an error, the runner must be closed before it goes on: it has numbered series that are not stored. */
  async #takeWaiting(): Promise<TakenLoad> {
    const opened = await this.#ready();
    const { database, store } = opened;
    const blocks = await readWaiting(database, blocksAtOnce);
    const clientIds = new Set<string>();
    const taken = { reports: 0, leftOut: 0, clientIds, problem: '', isMore: blocks.length === blocksAtOnce };
    if (blocks.length === 0) return taken;
    opened.batcher ??= new LoadBatcher(await numberedSeries(store.storage));
    const before = opened.batcher.leftOut;
    for (const { id, series, bytes } of blocks) {
      try {
        const known = unpackSeries(series);
        taken.reports += opened.batcher.add(bytes, (each) => known.get(each));
        for (const { scope } of known.values()) clientIds.add(scope.clientId);
      } catch (error) {
        taken.problem = `block ${id} of the shared store cannot be read, and is not recorded: ${messageOf(error)}`;
      }
    }
    taken.leftOut = opened.batcher.leftOut - before;
    const batch = opened.batcher.take() ?? { series: [], blocks: [] };
    const ids = blocks.map(({ id }) => id);
    await store.append({ firstId: store.nextRawId, ...batch }, (trx) => removeWaiting(trx, ids));
    return taken;
  }

  close(): Promise<null> {
    return this.#turns.take(() => this.#close());
  }

  async #close(): Promise<null> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.store.storage.close();
    return null;
  }

  /** All that a question reads is as of one moment. */
  #reading<T>(work: (rows: LoadRows) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const { storage, fleet, openMinutes } = (await this.#ready()).store;
      return storage.snapshot((tables) => work({ storage: tables, fleet, openMinutes }));
    });
  }

  async #ready(): Promise<OpenedStore> {
    if (this.#opened !== undefined) return this.#opened;
    const opened = await this.#open();
    try {
      this.#opened = { ...opened, store: await LoadStore.open(new LoadTables(opened.database)) };
      return this.#opened;
    } catch (error) {
      await opened.database.close();
      throw error;
    }
  }
}

async function numberedSeries(storage: LoadTables): Promise<NewSeries[]> {
  const found = await storage.readSeries({}, 'clients');
  return found.map(({ id, scope, part }) => ({ id, series: { scope, part } }));
}

/** Unless a client is requested, imported clients are left out, because they may be the same as live ones. */
async function findSeriesOfClients(
  { storage }: LoadRows,
  question: LoadReadQuestion,
): Promise<readonly FoundSeries[]> {
  const all = await storage.readSeries(question, 'clients');
  if (question.clientId !== undefined) return all;
  const living = all.filter(({ scope }) => scope.fileId === undefined);
  return living.length > 0 ? living : all;
}

/** Returns the first time, `from` or later, in whose minute or hour a value is recorded, or null if there is none. */
async function findRecorded(storage: LoadTables, from: EpochMs): Promise<EpochMs | null> {
  const { raw, minutes } = await storage.reach();
  const minute = floorTo(from, minuteMs);
  const found = [
    await storage.findRaw(minute),
    await storage.findSums('minutes', { from: minute, to: raw }),
    await storage.findSums('hours', { from: floorTo(from, hourMs), to: minutes }),
  ].filter((at) => at !== null);
  return found.length === 0 ? null : Math.max(from, Math.min(...found));
}

/** Taps may report the same as other sources; load receivers each have reports of their own. */
function isReportedTwice(series: readonly FoundSeries[]): boolean {
  const bySource = new Map<string, { isTap: boolean; readonly clusters: Set<string> }>();
  for (const { scope } of series) {
    const known = bySource.get(scope.sourceId) ?? { isTap: scope.vantage !== 'lrs', clusters: new Set() };
    bySource.set(scope.sourceId, known);
    known.clusters.add(JSON.stringify([scope.clusterName, scope.clusterServiceName]));
  }
  const all = [...bySource.values()];
  return all.some(
    (one) =>
      one.isTap &&
      all.some((other) => other !== one && [...other.clusters].some((cluster) => one.clusters.has(cluster))),
  );
}

function stepWithin(
  stepMs: number,
  from: EpochMs,
  reach: { readonly raw: EpochMs; readonly minutes: EpochMs },
): number {
  const finest = from < reach.minutes ? hourMs : from < reach.raw ? minuteMs : 1;
  return ceilTo(stepMs, finest);
}

/** Returns the longest unit of time of which each is within one step. */
function coarsestOf(stepMs: number | null): 'hours' | 'minutes' | 'raw' {
  if (stepMs === null || stepMs % hourMs === 0) return 'hours';
  return stepMs % minuteMs === 0 ? 'minutes' : 'raw';
}
