import type { Observation } from '@/lib/observation/observation';
import { facetsOf } from '@/lib/observation/observation-facets';
import type { EpochMs } from '@/lib/xds/units';
import type { HistoryFilter } from '@/server/store/history-query';

/** What a filter means: the store, which filters in SQL, is compared with it. */
export function matchesFilter(observation: Observation, filter: HistoryFilter): boolean {
  const facets = facetsOf(observation);
  const { clientId, streamId, sourceId, typeUrls, kinds, vantages, from, to } = filter;
  const lowerError = filter.errorText?.toLowerCase();
  return (
    // Times are stored as whole milliseconds.
    isWithin(Math.floor(observation.at), from, to) &&
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

function isRejection(kind: Observation['kind'], hasError: boolean): boolean {
  return kind === 'nack-sent' || (kind === 'client-config-changed' && hasError);
}

function isWithin(at: EpochMs, from: EpochMs | undefined, to: EpochMs | undefined): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}
