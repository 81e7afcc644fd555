import type { Connection } from '../observation/connection';

/**
 * Endpoints to which the client cannot connect, by failingKey(). A source reports the cluster of a host of Envoy; of a
 * subchannel mostly the address alone, which then counts in every cluster.
 */
export type FailingEndpoints = ReadonlySet<string>;

export const noFailing: FailingEndpoints = new Set();

function failingKey(cluster: string, address: string): string {
  return `${cluster} ${address}`;
}

/** The addresses of which every reported connection fails. */
export function findFailingEndpoints(connections: readonly Connection[]): FailingEndpoints {
  const states = new Map<string, boolean>();
  for (const { kind, cluster = '', target, state } of connections) {
    if (kind !== 'subchannel' && kind !== 'host') continue;
    const key = failingKey(cluster, target);
    const isFailing = state === 'TRANSIENT_FAILURE' || state === 'CONNECT_FAILURE';
    states.set(key, isFailing && states.get(key) !== false);
  }
  return new Set([...states].flatMap(([key, isFailing]) => (isFailing ? [key] : [])));
}

export function isFailing(failing: FailingEndpoints, cluster: string, address: string): boolean {
  return failing.has(failingKey(cluster, address)) || failing.has(failingKey('', address));
}

/** The clusters of which endpoints are in one of two sets alone; null: any cluster can be concerned. */
export function clustersThatDiffer(a: FailingEndpoints, b: FailingEndpoints): ReadonlySet<string> | null {
  const clusters = new Set<string>();
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const key of one) if (!other.has(key)) clusters.add(key.slice(0, key.lastIndexOf(' ')));
  }
  return clusters.has('') ? null : clusters;
}
