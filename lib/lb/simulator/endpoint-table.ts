import type { TrafficCluster, TrafficLocality } from './traffic-cluster';

/** All endpoints of a cluster in one sequence, grouped by locality, in the order of the cluster. */
export interface EndpointTable {
  readonly cluster: TrafficCluster;
  readonly localities: readonly TrafficLocality[];
  readonly size: number;
  readonly weights: Float64Array;
  /** 1 for each endpoint to which the client measured that it cannot connect. */
  readonly unreachable: Uint8Array;
  /** For each locality, the index of its first endpoint; one more entry at the end. */
  readonly localityStarts: Uint32Array;
  /** For each priority, the index of its first locality; one more entry at the end. */
  readonly priorityStarts: Uint32Array;
}

export function buildEndpointTable(cluster: TrafficCluster): EndpointTable {
  const localities = cluster.priorities.flatMap((priority) => priority.localities);
  const localityStarts = new Uint32Array(localities.length + 1);
  localities.forEach(({ endpoints }, at) => {
    localityStarts[at + 1] = (localityStarts[at] ?? 0) + endpoints.length;
  });
  const priorityStarts = new Uint32Array(cluster.priorities.length + 1);
  cluster.priorities.forEach((priority, at) => {
    priorityStarts[at + 1] = (priorityStarts[at] ?? 0) + priority.localities.length;
  });
  const size = localityStarts[localities.length] ?? 0;
  const weights = new Float64Array(size);
  let at = 0;
  const unreachable = new Uint8Array(size);
  for (const { endpoints } of localities)
    for (const { weight, failure } of endpoints) {
      unreachable[at] = failure === 'connection' ? 1 : 0;
      weights[at++] = weight;
    }
  return { cluster, localities, size, weights, unreachable, localityStarts, priorityStarts };
}

/** Half-open range [from, to) of the endpoints of a locality. */
export function endpointsOfLocality({ localityStarts }: EndpointTable, locality: number): [number, number] {
  return [localityStarts[locality] ?? 0, localityStarts[locality + 1] ?? 0];
}

/** Half-open range [from, to) of the localities of a priority. */
export function localitiesOfPriority({ priorityStarts }: EndpointTable, priority: number): [number, number] {
  return [priorityStarts[priority] ?? 0, priorityStarts[priority + 1] ?? 0];
}

/** Half-open range [from, to) of the endpoints of a priority. */
export function endpointsOfPriority(table: EndpointTable, priority: number): [number, number] {
  const [first, last] = localitiesOfPriority(table, priority);
  return [table.localityStarts[first] ?? 0, table.localityStarts[last] ?? 0];
}
