import type { Locality } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import { addCounts, type Count } from './count';
import type { LoadPart, LoadSeries } from './load-series';

export const loadGroupings = [
  'cluster',
  'locality',
  'priority',
  'endpoint',
  'client',
  'drop-category',
  'metric',
  'client-locality',
] as const;
export type LoadGrouping = (typeof loadGroupings)[number];

/**
 * requests, errors, drops   a second, over the time that reports cover
 * error-ratio               of requests that ended, 0 to 1
 * in-flight                 at the newest report
 * metric                    mean of the values that backends gave
 */
export const loadMeasures = ['requests', 'errors', 'error-ratio', 'in-flight', 'drops', 'metric'] as const;
export type LoadMeasure = (typeof loadMeasures)[number];

/** What a group is known by; what is not there is summed over. */
export interface LoadGroupKey {
  readonly clusterName?: string;
  /** EDS service name; empty: the cluster's own. */
  readonly clusterServiceName?: string;
  readonly clientId?: string;
  /** Where the client says that it is; null: it does not say. */
  readonly sourceLocality?: Locality | null;
  readonly locality?: Locality;
  readonly priority?: number;
  readonly address?: string;
  /** Empty: dropped with no category reported, as by circuit breakers. */
  readonly category?: string;
  readonly metric?: string;
}

/** Sums of all that came in, exactly. */
export interface LoadTotals {
  /** Of clusters. */
  readonly reports: Count;
  /** Of them, those that say which time they cover, and that time. */
  readonly timedReports: Count;
  readonly coveredUs: Count;
  readonly successful: Count;
  readonly errors: Count;
  /** Of those who tell it. */
  readonly issued: Count;
  /** Lines of reports that do not tell it: with any, `issued` is a part of the whole. */
  readonly issuedUnknown: Count;
  readonly dropped: Count;
  /** Of metrics: values, their exact sum rounded once, and how many were no finite number. */
  readonly metricCount: Count;
  readonly metricSum: number;
  readonly metricNotFinite: Count;
  readonly lastAt: EpochMs;
}

export interface LoadGroup {
  readonly key: LoadGroupKey;
  readonly totals: LoadTotals;
  /** By measure, a number for each step of time; null: nothing was reported. */
  readonly values: { readonly [measure in LoadMeasure]?: readonly (number | null)[] };
}

export function loadGroupKey(by: LoadGrouping, { scope, part }: LoadSeries): LoadGroupKey {
  const place = 'locality' in part ? part : undefined;
  switch (by) {
    case 'cluster':
      return { clusterName: scope.clusterName, clusterServiceName: scope.clusterServiceName };
    case 'client':
      return { clientId: scope.clientId };
    case 'locality':
      return place ? { locality: place.locality } : {};
    case 'priority':
      return place ? { priority: place.priority } : {};
    case 'endpoint':
      return part.kind === 'endpoint' ? { address: part.address, locality: part.locality } : {};
    case 'drop-category':
      return part.kind === 'drop' ? { category: part.category } : { category: '' };
    case 'metric':
      return part.kind === 'metric' ? { metric: part.name } : {};
    case 'client-locality':
      return place ? { clientId: scope.clientId, locality: place.locality } : {};
  }
}

/** Whether the part's numbers belong into groups of this kind. */
export function isPartOfGrouping(by: LoadGrouping, part: LoadPart): boolean {
  switch (by) {
    case 'cluster':
    case 'client':
      return part.kind === 'locality' || part.kind === 'cluster';
    case 'locality':
    case 'priority':
    case 'client-locality':
      return part.kind === 'locality';
    case 'endpoint':
      return part.kind === 'endpoint';
    case 'drop-category':
      return part.kind === 'drop' || part.kind === 'cluster';
    case 'metric':
      return part.kind === 'metric' && part.address === '';
  }
}

/** Of all of them together; of no group it is nothing. */
export function addLoadTotals(all: readonly LoadTotals[]): LoadTotals {
  const sum = (name: Exclude<keyof LoadTotals, 'metricSum' | 'lastAt'>): Count =>
    all.reduce<Count>((total, totals) => addCounts(total, totals[name]), 0);
  return {
    reports: sum('reports'),
    timedReports: sum('timedReports'),
    coveredUs: sum('coveredUs'),
    successful: sum('successful'),
    errors: sum('errors'),
    issued: sum('issued'),
    issuedUnknown: sum('issuedUnknown'),
    dropped: sum('dropped'),
    metricCount: sum('metricCount'),
    metricSum: all.reduce((total, { metricSum }) => total + metricSum, 0),
    metricNotFinite: sum('metricNotFinite'),
    lastAt: Math.max(...all.map(({ lastAt }) => lastAt)),
  };
}
