import { LoadGatherer } from '@/lib/load/gather-load';
import type { StepRange } from '@/lib/load/load-draft';
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
import { openSqliteLoad } from '../sqlite/sqlite-load';
import type { FoundSeries, NewSeries } from '../storage/load-storage';
import { excerptLoad, firstPart, type LoadExcerptQuestion } from './excerpt-load';
import { cellMs } from './fleet-cells';
import { keepLoadWithin, type LoadRetention } from './load-retention';
import { type LoadBatch, LoadStore } from './load-store';
import { readFleet } from './read-fleet';
import { type FindLoadSum, readLoad } from './read-load';

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
  /** Values are returned from this step on, by default for all steps. Sums and ranks always include the whole span. */
  readonly valuesFrom?: EpochMs;
  readonly limit: number;
  /** The order of the groups. By default, the largest come first. */
  readonly sort?: LoadSort;
}

export interface LoadAnswer {
  /** The span that was read: the requested one in whole steps, or a wider one of minutes or hours. */
  readonly span: LoadSpan;
  /** The requested step, or a longer one where no shorter one is stored. */
  readonly stepMs: number | null;
  /** Beginning of the first step with values. */
  readonly valuesFrom: EpochMs;
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
  readonly close: { readonly input: null; readonly output: null };
};

/** Runs the jobs; the first one opens the file. */
export class LoadJobRunner {
  readonly #file: string;
  readonly #fleetFrom: number;

  #store: LoadStore | undefined;

  /** With fewer than `fleetFrom` series of clients, charts are computed from each series, for exact rates. */
  constructor(file: string, fleetFrom = 2_000) {
    this.#file = file;
    this.#fleetFrom = fleetFrom;
  }

  open(): LoadJobs['open']['output'] {
    const { storage, nextRawId } = this.#opened();
    const series = storage.readSeries({}, 'clients').map(({ id, scope, part }) => ({
      id,
      series: { scope, part },
    }));
    return { nextRawId, series };
  }

  append(batch: LoadBatch): null {
    const store = this.#opened();
    store.storage.assertInPlace();
    store.append(batch);
    return null;
  }

  tidy({ now, retention }: LoadJobs['tidy']['input']): boolean {
    const store = this.#opened();
    store.storage.assertInPlace();
    return store.roll(now) || keepLoadWithin(store.storage, retention, now);
  }

  read(question: LoadReadQuestion): LoadAnswer {
    const { by, stepMs: requested, measures, limit, sort, endsExactly = false } = question;
    const store = this.#opened();
    const reach = store.storage.reach();
    const stepMs = requested === null ? null : stepWithin(requested, question.span.from, reach);
    const wanted =
      stepMs === null
        ? question.span
        : {
            from: floorTo(question.span.from, stepMs),
            to: endsExactly ? question.span.to : ceilTo(question.span.to, stepMs),
          };
    const plan = planLoadReading(wanted, coarsestOf(stepMs), reach);
    const fleet = this.#findFleet(question, stepMs);
    const series = fleet ?? this.#seriesOfClients(question);
    const gatherer = new LoadGatherer(series, by, fleet && { stepMs: stepMs ?? 0, span: plan.span });
    const { from } = plan.span;
    const chosen = series.filter(({ id }) => gatherer.isWanted(id));
    const sumOf: FindLoadSum = (id, kind, beginsAt) =>
      gatherer.sumOf(id, kind, stepMs === null ? 0 : Math.floor((beginsAt - from) / stepMs));
    const steps = returnedSteps(plan.span, stepMs, question.valuesFrom);
    if (fleet !== undefined) readFleet(store, plan, chosen, sumOf);
    else {
      // Values before the first returned step count only in sums, so they are read as one step.
      const reported = from + steps.from * (stepMs ?? 0);
      const cut = stepMs === null ? from : Math.max(from, floorTo(reported, minuteMs));
      if (cut > from) {
        const before = planLoadReading({ from, to: cut }, 'hours', reach);
        readLoad(store, before, chosen, (id, kind) => gatherer.sumOf(id, kind, 0), true);
      }
      const rest =
        cut > from ? planLoadReading({ ...plan.span, from: cut }, coarsestOf(stepMs), reach) : plan;
      readLoad(store, rest, chosen, sumOf, stepMs === null);
    }
    const valuesFrom = from + steps.from * (stepMs ?? 0);
    return { span: plan.span, stepMs, valuesFrom, ...gatherer.finish(measures, steps, limit, sort) };
  }

  /**
   * Returns the fleet's series if they suffice, which they do for totals and for charts of many clients. They do not if
   * a tap and another source report the same cluster, because a report observed by both must count once.
   */
  #findFleet(
    { by, cluster, clientId }: LoadReadQuestion,
    stepMs: number | null,
  ): readonly FoundSeries[] | undefined {
    const store = this.#opened();
    const isOfClients = clientId !== undefined || by === 'client' || by === 'client-locality';
    if (isOfClients) return undefined;
    if (!store.fleet.isComplete) return undefined;
    if (stepMs !== null && (stepMs % cellMs !== 0 || store.fleet.count < this.#fleetFrom)) return undefined;
    const series = store.storage.readSeries({ cluster }, 'fleet');
    return series.length > 0 && !isReportedTwice(series) ? series : undefined;
  }

  /** Unless a client is requested, imported clients are left out, because they may be the same as live ones. */
  #seriesOfClients(question: LoadReadQuestion): readonly FoundSeries[] {
    const all = this.#opened().storage.readSeries(question, 'clients');
    if (question.clientId !== undefined) return all;
    const living = all.filter(({ scope }) => scope.fileId === undefined);
    return living.length > 0 ? living : all;
  }

  excerpt(question: LoadExcerptQuestion): LoadExcerpt {
    return excerptLoad(this.#opened(), question);
  }

  excerptPart({ span, clientId }: LoadJobs['excerptPart']['input']): LoadJobs['excerptPart']['output'] {
    const store = this.#opened();
    const from = Math.min(span.to, store.findRecorded(span.from) ?? span.to);
    const { part, next } = firstPart({ from, to: span.to }, store.storage.reach());
    const following = next === null ? null : store.findRecorded(next);
    return {
      excerpt: excerptLoad(store, { span: part, clientId, stepMs: null }),
      next: following !== null && following < span.to ? following : null,
    };
  }

  close(): null {
    this.#store?.storage.close();
    this.#store = undefined;
    return null;
  }

  #opened(): LoadStore {
    this.#store ??= openSqliteLoad(this.#file, (storage) => new LoadStore(storage));
    return this.#store;
  }
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

function returnedSteps({ from, to }: LoadSpan, stepMs: number | null, valuesFrom: EpochMs = from): StepRange {
  if (stepMs === null) return { from: 0, to: 0 };
  const end = Math.ceil((to - from) / stepMs);
  return { from: Math.min(end, Math.max(0, Math.floor((valuesFrom - from) / stepMs))), to: end };
}
