import { formatCount } from '../format/count';
import type { EpochMs } from '../xds/units';
import type { FailingLoad } from './failing-endpoints';

/** How the requests of a client to one cluster ended in the last minutes. */
export interface MeasuredRequests {
  /** The source: load reports, or the counters of the client. */
  readonly by: 'lrs' | 'envoy-admin';
  readonly errors: number;
  readonly completed: number;
  /** The time of the newest report. */
  readonly at: EpochMs;
  /** The endpoints and localities to which every completed request failed. Only load reports have them. */
  readonly addresses: readonly string[];
  readonly localities: readonly string[];
  /** Set if the requests are those of the newest minute that had any: of a cluster without errors Envoy's counters keep no more. */
  readonly isOfOneMinute?: true;
  /** What each request fails to, by load reports; absent: nothing. */
  readonly failing?: FailingLoad;
}

export const measuredMinutes = 5;
const namesShown = 3;
const sources: Readonly<Record<MeasuredRequests['by'], string>> = {
  lrs: 'load reports',
  'envoy-admin': 'the counters of Envoy',
};

/** As in "18 of 20 completed requests of the last 5 minutes failed, by load reports; every one to 10.0.0.1:80". */
export function describeMeasuredRequests(measured: MeasuredRequests): string {
  const { by, errors, completed, addresses, localities, isOfOneMinute } = measured;
  const places = addresses.length > 0 ? addresses : localities.map((locality) => `locality ${locality}`);
  const more = places.length - namesShown;
  const shown = `${places.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const where = places.length === 0 || errors === completed ? '' : `; every one to ${shown}`;
  const requests = `of ${formatCount(completed)} completed requests ${isOfOneMinute ? 'within a minute' : `of the last ${measuredMinutes} minutes`} failed, by ${sources[by]}`;
  return errors === 0 ? `none ${requests}` : `${formatCount(errors)} ${requests}${where}`;
}
