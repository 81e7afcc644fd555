import type { TrafficCluster, TrafficLocality } from './traffic-cluster';

/** A cluster's endpoints in one row, those of a locality beside each other, in the cluster's order. */
export interface EndpointTable {
  readonly cluster: TrafficCluster;
  /** Of all priorities, flat. */
  readonly localities: readonly TrafficLocality[];
  readonly size: number;
  readonly weights: Float64Array;
  /** Per locality, flat: where its endpoints begin; one more entry at the end. */
  readonly localityStarts: Uint32Array;
  /** Per priority: where its localities begin; one more entry at the end. */
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
  for (const { endpoints } of localities) for (const { weight } of endpoints) weights[at++] = weight;
  return { cluster, localities, size, weights, localityStarts, priorityStarts };
}

/** [from, to) of the endpoints of a locality. */
export function endpointsOfLocality({ localityStarts }: EndpointTable, locality: number): [number, number] {
  return [localityStarts[locality] ?? 0, localityStarts[locality + 1] ?? 0];
}

/** [from, to) of the localities of a priority. */
export function localitiesOfPriority({ priorityStarts }: EndpointTable, priority: number): [number, number] {
  return [priorityStarts[priority] ?? 0, priorityStarts[priority + 1] ?? 0];
}
