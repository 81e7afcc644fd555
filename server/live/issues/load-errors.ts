import { byDescending } from '@/lib/collections/compare';
import { formatLocality } from '@/lib/format/locality';
import { type ErrorPeriod, errorStepMs, findErrorPeriods, leastErrors } from '@/lib/issues/error-periods';
import type { FailingPlaces } from '@/lib/issues/shared-place';
import { addLoadTotals, type LoadTotals } from '@/lib/load/load-question';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { FoundErrors } from '@/lib/views/issues/build-load-issue';
import type { EpochMs } from '@/lib/xds/units';
import { KeptWork } from '../../workers/kept-work';
import type { LoadAnswer, LoadReadQuestion } from '../load/load-jobs';
import type { LoadReader } from '../load/load-reader';
import type { KnownErrors } from './known-errors';

/** The onset of a period that began earlier is known by earlier answers; see KnownErrors. */
const historyMs = 60 * 60_000;
/** The severity follows from the end of a period. */
const measuredMs = 5 * 60_000;
/** Load reports arrive every few seconds; an answer applies for so long. */
const freshMs = 5_000;
const mostClusters = 50;
const mostPeriods = 40;
const clientsListed = 20;
const placesRead = 100;
const mostKept = 200;

/** The clusters to which too many requests fail, by the load reports that clients sent. */
export class LoadErrors {
  readonly #loads: Pick<LoadReader, 'read'>;

  readonly #answers = new KeptWork<readonly FoundErrors[]>(mostKept);
  readonly #known: KnownErrors;
  /** The onset by the cluster and the minute of a period: what is recorded does not change. */
  readonly #onsets = new KeptWork<EpochMs>(mostKept);

  constructor(loads: Pick<LoadReader, 'read'>, known: KnownErrors) {
    this.#loads = loads;
    this.#known = known;
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
        .map(async (period) =>
          period.from > span.from ? { ...period, from: await this.#findOnset(period, at, signal) } : period,
        ),
    );
    const totals = new Map<string, Promise<LoadAnswer>>();
    const readAll = (base: MeasuredSpan): Promise<LoadAnswer> => {
      const key = `${base.span.from} ${base.span.to}`;
      const all = totals.get(key) ?? this.#read({ ...base, by: 'cluster', limit: 1 }, signal);
      totals.set(key, all);
      return all;
    };
    const measured = await Promise.all(
      periods.map(async (period) => {
        const found = await this.#measure(period, at, readAll, signal);
        // The place of the errors of a group shows what its clusters share.
        return periods.length === 1
          ? found
          : { ...found, places: await this.#findPlaces(period, at, signal) };
      }),
    );
    // The rate of a client that began to report a few seconds ago says nothing about a minute.
    const found = measured.filter(({ measured: { errors } }) => errors >= leastErrors);
    return isNow ? this.#known.date(found, at) : found;
  }

  /** The time of the first report of failed requests within the first minute of the period. */
  #findOnset(period: ErrorPeriod, at: EpochMs, signal: AbortSignal | undefined): Promise<EpochMs> {
    const { clusterName, from } = period;
    // The first minute of a period that has just begun is not complete.
    const part = Math.min(at, from + errorStepMs);
    return this.#onsets.run(`${from} ${part} ${clusterName}`, signal, (stop) =>
      this.#readOnset(period, stop),
    );
  }

  async #readOnset(period: ErrorPeriod, signal: AbortSignal | undefined): Promise<EpochMs> {
    const { clusterName: cluster, from } = period;
    const { groups, ...read } = await this.#read(
      {
        ...{ by: 'cluster', cluster, span: { from, to: from + errorStepMs }, stepMs: 1_000 },
        ...{ measures: ['errors'], limit: 1, sort: 'errors' },
      },
      signal,
    );
    const first = groups[0]?.values.errors?.findIndex((perSecond) => (perSecond ?? 0) > 0) ?? -1;
    return first < 0 ? from : read.span.from + first * (read.stepMs ?? 0);
  }

  async #measure(
    period: ErrorPeriod,
    at: EpochMs,
    readAll: (base: MeasuredSpan) => Promise<LoadAnswer>,
    signal: AbortSignal | undefined,
  ): Promise<FoundErrors> {
    const base = measuredSpan(period, at);
    const [byClient, all] = await Promise.all([
      this.#read(
        { ...base, by: 'client', cluster: period.clusterName, limit: clientsListed, sort: 'errors' },
        signal,
      ),
      readAll(base),
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

  /** Localities that have all errors show nothing if the cluster has no other. */
  async #findPlaces(
    period: ErrorPeriod,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<FailingPlaces> {
    const base = { ...measuredSpan(period, at), cluster: period.clusterName, limit: placesRead };
    const [byEndpoint, byLocality] = await Promise.all([
      this.#read({ ...base, by: 'endpoint', sort: 'errors' }, signal),
      this.#read({ ...base, by: 'locality', sort: 'errors' }, signal),
    ]);
    const failing = ({ groups }: LoadAnswer) => groups.filter(({ totals }) => Number(totals.errors) > 0);
    const localities = failing(byLocality);
    return {
      addresses: failing(byEndpoint).flatMap(({ key: { address } }) => address ?? []),
      localities:
        localities.length === byLocality.groups.length
          ? []
          : localities.map(({ key: { locality } }) => formatLocality(locality ?? null)),
    };
  }

  #read(question: LoadReadQuestion, signal: AbortSignal | undefined): Promise<LoadAnswer> {
    return this.#loads.read(question, signal);
  }
}

type MeasuredSpan = Pick<LoadReadQuestion, 'span' | 'stepMs' | 'measures'>;

function measuredSpan({ from, to: end }: ErrorPeriod, at: EpochMs): MeasuredSpan {
  const to = end ?? at;
  return { span: { from: Math.max(from, to - measuredMs), to }, stepMs: null, measures: [] };
}

function sum({ groups, others }: LoadAnswer): LoadTotals {
  return addLoadTotals([...groups, ...(others === undefined ? [] : [others])].map(({ totals }) => totals));
}

function completedOf({ successful, errors }: LoadTotals): number {
  return Number(successful) + Number(errors);
}
