const workloadTypes: ReadonlySet<string> = new Set([
  'type.googleapis.com/istio.workload.Address',
  'type.googleapis.com/istio.workload.Workload',
]);

/**
 * Whether istiod answers each ACK of the type with another response, about 1,000 times a second (measured): its debug types,
 * and in state of the world those of ztunnel, which subscribes in delta.
 */
export function isAnsweredForEver(typeUrl: string, isDelta: boolean): boolean {
  return typeUrl.startsWith('istio.io/debug') || (!isDelta && workloadTypes.has(typeUrl));
}

export const unackedReason =
  'istiod answers each ACK of this type with another response, so that none is sent';
