import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';

/** Shares of all requests that are not dropped, 0..1. The difference to 1 is not served. */
export interface Loads {
  readonly endpoints: Float64Array;
  readonly localities: Float64Array;
  readonly priorities: Float64Array;
}

export function sumLoads(table: EndpointTable, endpoints: Float64Array): Loads {
  const localities = new Float64Array(table.localities.length);
  const priorities = new Float64Array(table.cluster.priorities.length);
  for (let priority = 0; priority < priorities.length; priority++) {
    const [first, last] = localitiesOfPriority(table, priority);
    let ofPriority = 0;
    for (let locality = first; locality < last; locality++) {
      const [from, end] = endpointsOfLocality(table, locality);
      let ofLocality = 0;
      for (let at = from; at < end; at++) ofLocality += endpoints[at] ?? 0;
      localities[locality] = ofLocality;
      ofPriority += ofLocality;
    }
    priorities[priority] = ofPriority;
  }
  return { endpoints, localities, priorities };
}
