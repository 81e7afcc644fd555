import type * as z from 'zod';
import type { ReadonlyDeep } from '../observation/readonly-deep';
import type { EpochMs } from '../xds/units';
import { addCounts, type Count } from './count';
import type { groupKey } from './load-schemas';
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
 * requests, errors, drops   per second of the reports' intervals
 * error-ratio               share of completed requests, 0 to 1
 * in-flight                 as in the newest report
 * metric                    mean of the values that backends reported
 */
export const loadMeasures = ['requests', 'errors', 'error-ratio', 'in-flight', 'drops', 'metric'] as const;
export type LoadMeasure = (typeof loadMeasures)[number];

/** The sums by which groups are ranked. `size`: requests, drops and values of metrics; `in-flight`: the newest value. */
export const loadSorts = ['size', 'errors', 'in-flight', 'drops'] as const;
export type LoadSort = (typeof loadSorts)[number];

export type LoadGroupKey = ReadonlyDeep<z.infer<typeof groupKey>>;

export interface LoadTotals {
  readonly reports: Count;
  /** The number of reports that contain their interval, and the sum of their intervals. */
  readonly timedReports: Count;
  readonly coveredUs: Count;
  readonly successful: Count;
  readonly errors: Count;
  /** The sum over lines that contain it. */
  readonly issued: Count;
  /** The number of lines without `issued`. Unless it is 0, `issued` is incomplete. */
  readonly issuedUnknown: Count;
  readonly dropped: Count;
  /** The number of metric values, their sum (rounded once), and the number of values that are not finite. */
  readonly metricCount: Count;
  readonly metricSum: number;
  readonly metricNotFinite: Count;
  readonly lastAt: EpochMs;
}

export interface LoadGroup {
  readonly key: LoadGroupKey;
  readonly totals: LoadTotals;
  /** A number for each time step, by measure; null if it is not reported. */
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

export type LoadCounter = Exclude<keyof LoadTotals, 'metricSum' | 'lastAt'>;

/** Adds up totals; the sum of none is 0, with `lastAt` before all times. */
export function addLoadTotals(all: readonly LoadTotals[]): LoadTotals {
  const sum = (name: LoadCounter): Count =>
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
