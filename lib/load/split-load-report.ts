import type { ClusterLoad, EndpointLoad, LoadMetric, LocalityLoad, Uint64 } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import { type Count, parseCount } from './count';
import type { LoadPart } from './load-series';
import { type LoadValues, valuesOf } from './load-values';

type Requests = Pick<LocalityLoad, 'successful' | 'errors' | 'issued' | 'inProgress'>;
type Place = Pick<LocalityLoad, 'locality' | 'priority'>;

/** Emits the values of a report on one cluster by part. Values of one part may be emitted twice, and add up. */
export function splitLoadReport(
  cluster: ClusterLoad,
  at: EpochMs,
  emit: (part: LoadPart, values: LoadValues) => void,
): void {
  const intervalUs = Math.round((cluster.intervalMs ?? 0) * 1000);
  emit({ kind: 'cluster' }, valuesOf(at, [1, intervalUs, parseCount(cluster.totalDropped)]));
  for (const { category, count } of cluster.dropped) {
    emit({ kind: 'drop', category }, valuesOf(at, [parseCount(count)]));
  }
  for (const load of cluster.localities) {
    const { locality, priority } = load;
    const place = { locality, priority };
    emit(
      { kind: 'locality', ...place },
      valuesOf(
        at,
        [...countersOf(load), countOf(load.newConnections), countOf(load.failedConnections)],
        [parseCount(load.inProgress), countOf(load.activeConnections)],
      ),
    );
    for (const metric of load.metrics ?? []) emitMetric(place, '', metric, at, emit);
    for (const endpoint of load.endpoints ?? []) splitEndpoint(place, endpoint, at, emit);
  }
}

function splitEndpoint(
  place: Place,
  endpoint: EndpointLoad,
  at: EpochMs,
  emit: (part: LoadPart, values: LoadValues) => void,
): void {
  const { address } = endpoint;
  emit(
    { kind: 'endpoint', ...place, address },
    valuesOf(at, countersOf(endpoint), [parseCount(endpoint.inProgress)]),
  );
  for (const metric of endpoint.metrics ?? []) emitMetric(place, address, metric, at, emit);
}

function emitMetric(
  place: Place,
  address: string,
  { name, count, sum }: LoadMetric,
  at: EpochMs,
  emit: (part: LoadPart, values: LoadValues) => void,
): void {
  emit(
    { kind: 'metric', ...place, address, name },
    valuesOf(at, [parseCount(count), sum === null ? 1 : 0], [], sum ?? 0),
  );
}

/** reports, successful, errors, issued, issuedUnknown. */
function countersOf({ successful, errors, issued }: Requests): Count[] {
  return [1, parseCount(successful), parseCount(errors), parseCount(issued ?? '0'), issued === null ? 1 : 0];
}

function countOf(value: Uint64 | undefined): Count {
  return value === undefined ? 0 : parseCount(value);
}
