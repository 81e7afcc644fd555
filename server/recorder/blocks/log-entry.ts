import type { Observation, Vantage } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import type { EpochMs } from '@/lib/xds/units';

/** Selects the observations that meet all conditions; an absent condition is met by all. */
export interface HistoryFilter {
  readonly clientId?: string;
  readonly streamId?: string;
  readonly sourceId?: string;
  readonly typeUrls?: readonly string[];
  readonly kinds?: readonly Observation['kind'][];
  readonly vantages?: readonly Vantage[];
  /** The exact name of a resource that was subscribed to, received, changed, removed or rejected. */
  readonly resourceName?: string;
  /** The exact version_info that was accepted or rejected. */
  readonly version?: string;
  /** A part of the error text, regardless of case. */
  readonly errorText?: string;
  /** A NACK on a stream, or a report with an error. */
  readonly isRejection?: true;
  /** Both ends are included. */
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

export function matchesFilter(observation: Observation, filter: HistoryFilter): boolean {
  const facets = facetsOf(observation);
  const { clientId, streamId, sourceId, typeUrls, kinds, vantages, from, to } = filter;
  const lowerError = filter.errorText?.toLowerCase();
  return (
    isWithin(observation.at, from, to) &&
    (clientId === undefined || ('clientId' in observation && observation.clientId === clientId)) &&
    (streamId === undefined || facets.streamId === streamId) &&
    (sourceId === undefined || observation.sourceId === sourceId) &&
    (typeUrls === undefined || facets.typeUrls.some((typeUrl) => typeUrls.includes(typeUrl))) &&
    (kinds === undefined || kinds.includes(observation.kind)) &&
    (vantages === undefined || vantages.includes(observation.vantage)) &&
    (filter.isRejection === undefined || isRejection(observation.kind, facets.errors.length > 0)) &&
    (filter.resourceName === undefined || facets.names.includes(filter.resourceName)) &&
    (filter.version === undefined || facets.versions.includes(filter.version)) &&
    (lowerError === undefined || facets.errors.some((text) => text.toLowerCase().includes(lowerError)))
  );
}

export function isRejection(kind: Observation['kind'] | undefined, hasError: boolean): boolean {
  return kind === 'nack-sent' || (kind === 'client-config-changed' && hasError);
}

function isWithin(at: EpochMs, from: EpochMs | undefined, to: EpochMs | undefined): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}
