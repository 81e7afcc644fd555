import type { LoadGroup } from '../load/load-question';
import type { EpochMs } from '../xds/units';

/** The time in which requests or connections to a cluster failed, by the load reports or the counters of its clients. */
export interface ErrorPeriod {
  readonly clusterName: string;
  readonly from: EpochMs;
  /** null: it lasts. */
  readonly to: EpochMs | undefined;
}

export const errorStepMs = 60_000;
/** A smaller share of errors, or fewer errors within a minute, is not an issue. */
const leastRatio = 0.05;
export const leastErrors = 5;
/** Steps without so many errors, or without a report, that do not end a period. */
const calmSteps = 2;
/** Errors that begin within this time after the last ones are of one period. */
export const mostCalmMs = (calmSteps + 1) * errorStepMs;

/**
 * The newest period of each cluster in which too many requests failed. `groups` are clusters with the measures `errors` and
 * `error-ratio`, by steps of a minute that begin at `from`. A period ends with its last minute of errors.
 */
export function findErrorPeriods(
  groups: readonly Pick<LoadGroup, 'key' | 'values'>[],
  { from, at }: { readonly from: EpochMs; readonly at: EpochMs },
): ErrorPeriod[] {
  const seen = new Set<string>();
  return groups.flatMap(({ key: { clusterName = '' }, values }) => {
    // A cluster may be reported with several EDS service names; the largest one is first.
    if (seen.has(clusterName)) return [];
    seen.add(clusterName);
    const { errors = [], 'error-ratio': ratios = [] } = values;
    const failing = errors.flatMap((perSecond, step) => {
      const isFailing =
        (ratios[step] ?? 0) >= leastRatio && ((perSecond ?? 0) * errorStepMs) / 1_000 >= leastErrors;
      return isFailing ? [step] : [];
    });
    const last = failing.at(-1);
    if (last === undefined) return [];
    const first = failing.findLast(
      (step, index) => step - (failing[index - 1] ?? -errors.length) > calmSteps + 1,
    );
    const isOpen = last >= errors.length - 1 - calmSteps;
    const to = isOpen ? undefined : Math.min(at, from + (last + 1) * errorStepMs);
    return [{ clusterName, from: from + (first ?? last) * errorStepMs, to }];
  });
}

/** The number of requests that failed, of those to the cluster and of those to all clusters. */
export interface MeasuredErrors {
  readonly errors: number;
  readonly completed: number;
  readonly ofAll: number;
}

const almostAll = 0.99;
const most = 0.5;
const manyOfAll = 0.05;

/** The severity follows the share of the measured requests that fail. */
export function assessErrors({ errors, completed, ofAll }: MeasuredErrors): 'critical' | 'major' | 'warning' {
  if (errors >= ofAll * most) return 'critical';
  return errors >= completed * most || errors >= ofAll * manyOfAll ? 'major' : 'warning';
}

export function isAlmostAll({ errors, completed }: MeasuredErrors): boolean {
  return errors >= completed * almostAll;
}
