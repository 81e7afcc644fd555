import { LoadGatherer } from '@/lib/load/gather-load';
import type { StepRange } from '@/lib/load/load-draft';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import type { LoadGroup, LoadGrouping, LoadMeasure } from '@/lib/load/load-question';
import type { LoadSeries } from '@/lib/load/load-series';
import { ceilTo, floorTo, type LoadSpan, planLoadReading } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { isImportedClient } from '../../client-id';
import { excerptLoad, firstPart, type LoadExcerptQuestion } from './excerpt-load';
import { keepLoadWithin, type LoadRetention } from './load-retention';
import { type LoadBatch, LoadStore } from './load-store';
import { hourMs, minuteMs } from './load-tiers';
import { type FoundSeries, findLoadSeries, type OpenMinutes, readLoad } from './read-load';

/** What is asked of the file of load. */
export interface LoadReadQuestion {
  readonly by: LoadGrouping;
  readonly cluster?: string;
  readonly clientId?: string;
  readonly span: LoadSpan;
  /** Nothing of after the span, also where it ends within a step. */
  readonly endsExactly?: boolean;
  /** Of whole seconds; null: totals alone. */
  readonly stepMs: number | null;
  readonly measures: readonly LoadMeasure[];
  /** Values of the steps from there on alone; absent: of all of them. Sums and ranks are of the whole span. */
  readonly valuesFrom?: EpochMs;
  /** Groups. */
  readonly limit: number;
}

export interface LoadAnswer {
  /** What was read: as asked, in whole steps, or wider where only whole minutes or hours are left. */
  readonly span: LoadSpan;
  /** As asked, or longer where nothing finer is left. */
  readonly stepMs: number | null;
  /** Of the first step that values are told of. */
  readonly valuesFrom: EpochMs;
  readonly groups: readonly LoadGroup[];
  readonly others: LoadGroup | null;
  readonly othersCount: number;
}

export type LoadJobs = {
  readonly open: {
    readonly input: null;
    readonly output: {
      readonly nextRawId: number;
      readonly series: readonly { readonly id: number; readonly series: LoadSeries }[];
    };
  };
  readonly append: { readonly input: LoadBatch; readonly output: null };
  /** One step of what is due; whether there is more. */
  readonly tidy: {
    readonly input: { readonly now: EpochMs; readonly retention: LoadRetention };
    readonly output: boolean;
  };
  readonly read: { readonly input: LoadReadQuestion; readonly output: LoadAnswer };
  readonly excerpt: { readonly input: LoadExcerptQuestion; readonly output: LoadExcerpt };
  /** The first part of a span, and where the next one begins; null: that is all. */
  readonly excerptPart: {
    readonly input: Omit<LoadExcerptQuestion, 'stepMs'>;
    readonly output: { readonly excerpt: LoadExcerpt; readonly next: EpochMs | null };
  };
  readonly close: { readonly input: null; readonly output: null };
};

/** Does them, with the file that it opens at the first one. */
export class LoadKeeper {
  #store: LoadStore | undefined;

  constructor(private readonly file: string) {}

  open(): LoadJobs['open']['output'] {
    const { sql, nextRawId } = this.#opened();
    const series = findLoadSeries(sql, {}, 'clients').map(({ id, scope, part }) => ({
      id,
      series: { scope, part },
    }));
    return { nextRawId, series };
  }

  append(batch: LoadBatch): null {
    this.#opened().append(batch);
    return null;
  }

  tidy({ now, retention }: LoadJobs['tidy']['input']): boolean {
    const store = this.#opened();
    return store.roll(now) || keepLoadWithin(store.sql, retention, now);
  }

  read(question: LoadReadQuestion): LoadAnswer {
    const { by, stepMs: asked, measures, limit, endsExactly = false } = question;
    const store = this.#opened();
    const reach = store.reach();
    const stepMs = asked === null ? null : stepWithin(asked, question.span.from, reach);
    const wanted =
      stepMs === null
        ? question.span
        : {
            from: floorTo(question.span.from, stepMs),
            to: endsExactly ? question.span.to : ceilTo(question.span.to, stepMs),
          };
    const plan = planLoadReading(wanted, coarsestOf(stepMs), reach);
    const fleet = this.#findFleet(question, plan.span.from);
    const series = fleet?.series ?? this.#seriesOfClients(question);
    const gatherer = new LoadGatherer(series, by);
    const { from } = plan.span;
    readLoad(
      store.sql,
      plan,
      series.filter(({ id }) => gatherer.isWanted(id)),
      (id, kind, beginsAt) =>
        gatherer.sumOf(id, kind, stepMs === null ? 0 : Math.floor((beginsAt - from) / stepMs)),
      fleet?.open,
    );
    const steps = stepsToTell(plan.span, stepMs, question.valuesFrom);
    const valuesFrom = from + steps.from * (stepMs ?? 0);
    return { span: plan.span, stepMs, valuesFrom, ...gatherer.finish(measures, steps, limit) };
  }

  /**
   * Totals that need not be read client by client. Where several sources tell of a cluster they are: a report that two of
   * them saw counts once, which only the clients' own series can tell. Rates and gauges are theirs as well.
   */
  #findFleet(
    { by, cluster, clientId, stepMs }: LoadReadQuestion,
    from: EpochMs,
  ): { readonly series: readonly FoundSeries[]; readonly open: OpenMinutes } | undefined {
    const store = this.#opened();
    const isOfClients = clientId !== undefined || by === 'client' || by === 'client-locality';
    if (isOfClients || stepMs !== null || from < store.fleetSince) return undefined;
    const series = findLoadSeries(store.sql, { ...(cluster !== undefined && { cluster }) }, 'fleet');
    const sources = new Set(series.map(({ scope }) => scope.sourceId));
    return sources.size === 1 ? { series, open: store.openFleet() } : undefined;
  }

  /** Where nobody is asked for by name clients of files do not count: they may be the same ones as those that live. */
  #seriesOfClients(question: LoadReadQuestion): readonly FoundSeries[] {
    const all = findLoadSeries(this.#opened().sql, question, 'clients');
    if (question.clientId !== undefined) return all;
    const living = all.filter(({ scope }) => !isImportedClient(scope.clientId));
    return living.length > 0 ? living : all;
  }

  excerpt(question: LoadExcerptQuestion): LoadExcerpt {
    return excerptLoad(this.#opened(), question);
  }

  excerptPart({ span, clientId }: LoadJobs['excerptPart']['input']): LoadJobs['excerptPart']['output'] {
    const store = this.#opened();
    const oldest = store.oldestAt();
    const from = Math.max(span.from, oldest ?? span.to);
    const { part, next } = firstPart({ from, to: span.to }, store.reach());
    return { excerpt: excerptLoad(store, { span: part, clientId, stepMs: null }), next };
  }

  close(): null {
    this.#store?.close();
    this.#store = undefined;
    return null;
  }

  #opened(): LoadStore {
    this.#store ??= new LoadStore(this.file);
    return this.#store;
  }
}

function stepWithin(
  stepMs: number,
  from: EpochMs,
  reach: { readonly raw: EpochMs; readonly minutes: EpochMs },
): number {
  const finest = from < reach.minutes ? hourMs : from < reach.raw ? minuteMs : 1;
  return ceilTo(stepMs, finest);
}

/** Sums that lie in one step whole. */
function coarsestOf(stepMs: number | null): 'hours' | 'minutes' | 'raw' {
  if (stepMs === null || stepMs % hourMs === 0) return 'hours';
  return stepMs % minuteMs === 0 ? 'minutes' : 'raw';
}

function stepsToTell({ from, to }: LoadSpan, stepMs: number | null, valuesFrom: EpochMs = from): StepRange {
  if (stepMs === null) return { from: 0, to: 0 };
  const end = Math.ceil((to - from) / stepMs);
  return { from: Math.min(end, Math.max(0, Math.floor((valuesFrom - from) / stepMs))), to: end };
}
