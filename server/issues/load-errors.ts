import { byDescending } from '@/lib/collections/compare';
import { type ErrorPeriod, errorStepMs, findErrorPeriods, leastErrors } from '@/lib/issues/error-periods';
import { addLoadTotals, type LoadTotals } from '@/lib/load/load-question';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { FoundErrors } from '@/lib/views/issues/build-load-issue';
import type { EpochMs } from '@/lib/xds/units';
import type { LoadAnswer, LoadReadQuestion } from '../recorder/load/load-jobs';
import type { LoadRecorder } from '../recorder/load/load-recorder';
import { KeptWork } from '../workers/kept-work';

/** A period that began earlier is known by the answers that this process gave since then. */
const historyMs = 60 * 60_000;
/** The severity follows from the end of a period. */
const measuredMs = 5 * 60_000;
/** Load reports arrive every few seconds; an answer applies for so long. */
const freshMs = 5_000;
const mostClusters = 50;
const mostPeriods = 40;
const clientsListed = 20;
const mostKept = 200;

/** The clusters to which too many requests fail, by the load reports that clients sent. */
export class LoadErrors {
  readonly #loads: Pick<LoadRecorder, 'read'>;

  readonly #answers = new KeptWork<readonly FoundErrors[]>(mostKept);
  /** The onset by cluster of what lasted in the latest answer. */
  #onsets: ReadonlyMap<string, EpochMs> = new Map();

  constructor(loads: Pick<LoadRecorder, 'read'>) {
    this.#loads = loads;
  }

  /**
   * Finds the errors that last at this time, and those that ended within the hour before it. `isNow` means that the
   * time is the present.
   */
  find(at: EpochMs, isNow: boolean, signal?: AbortSignal): Promise<readonly FoundErrors[]> {
    return this.#answers.run(String(floorTo(at, freshMs)), signal, (stop) => this.#find(at, isNow, stop));
  }

  async #find(at: EpochMs, isNow: boolean, signal: AbortSignal | undefined): Promise<readonly FoundErrors[]> {
    const { groups, span } = await this.#read(
      {
        ...{ by: 'cluster', span: { from: at - historyMs, to: at }, stepMs: errorStepMs },
        ...{ measures: ['errors', 'error-ratio'], limit: mostClusters, sort: 'errors', endsExactly: true },
      },
      signal,
    );
    const newest = findErrorPeriods(groups, { from: span.from, at }).sort(byDescending(({ from }) => from));
    const periods = await Promise.all(
      newest
        .slice(0, mostPeriods)
        .map((period) => (period.from > span.from ? this.#refine(period, signal) : period)),
    );
    const dated = isNow ? this.#withOnsets(periods, span.from) : periods;
    const measured = await Promise.all(dated.map((period) => this.#measure(period, at, signal)));
    // The rate of a client that began to report a few seconds ago says nothing about a minute.
    return measured.filter(({ measured: { errors } }) => errors >= leastErrors);
  }

  /** Begins the period with the first report of failed requests, instead of its first minute. */
  async #refine(period: ErrorPeriod, signal: AbortSignal | undefined): Promise<ErrorPeriod> {
    const { clusterName: cluster, from } = period;
    const { groups, ...read } = await this.#read(
      {
        ...{ by: 'cluster', cluster, span: { from, to: from + errorStepMs }, stepMs: 1_000 },
        ...{ measures: ['errors'], limit: 1, sort: 'errors' },
      },
      signal,
    );
    const first = groups[0]?.values.errors?.findIndex((perSecond) => (perSecond ?? 0) > 0) ?? -1;
    return first < 0 ? period : { ...period, from: read.span.from + first * (read.stepMs ?? 0) };
  }

  /** A period from the beginning of what is read began before it. */
  #withOnsets(periods: readonly ErrorPeriod[], begin: EpochMs): ErrorPeriod[] {
    const dated = periods.map((period) => {
      const onset = period.from > begin ? undefined : this.#onsets.get(period.clusterName);
      return onset === undefined ? period : { ...period, from: Math.min(onset, period.from) };
    });
    this.#onsets = new Map(
      dated.flatMap(({ clusterName, from, to }) => (to === undefined ? [[clusterName, from] as const] : [])),
    );
    return dated;
  }

  async #measure(period: ErrorPeriod, at: EpochMs, signal: AbortSignal | undefined): Promise<FoundErrors> {
    const to = period.to ?? at;
    const base = { span: { from: Math.max(period.from, to - measuredMs), to }, stepMs: null, measures: [] };
    const [byClient, all] = await Promise.all([
      this.#read(
        { ...base, by: 'client', cluster: period.clusterName, limit: clientsListed, sort: 'errors' },
        signal,
      ),
      this.#read({ ...base, by: 'cluster', limit: 1 }, signal),
    ]);
    const ofCluster = sum(byClient);
    const failing = byClient.groups.filter(({ totals }) => Number(totals.errors) > 0);
    return {
      ...period,
      measured: {
        errors: Number(ofCluster.errors),
        completed: completedOf(ofCluster),
        ofAll: completedOf(sum(all)),
      },
      clients: failing.flatMap(({ key: { clientId } }) => (clientId === undefined ? [] : [clientId])),
      moreClients: byClient.othersCount,
    };
  }

  #read(question: LoadReadQuestion, signal: AbortSignal | undefined): Promise<LoadAnswer> {
    return this.#loads.read(question, signal);
  }
}

function sum({ groups, others }: LoadAnswer): LoadTotals {
  return addLoadTotals([...groups, ...(others === undefined ? [] : [others])].map(({ totals }) => totals));
}

function completedOf({ successful, errors }: LoadTotals): number {
  return Number(successful) + Number(errors);
}
