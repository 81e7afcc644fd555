import type { Locality } from '@/lib/observation/observation';

/** Who the probe says that it is (envoy.config.core.v3.Node); metadata is instructed to the server as it is. */
export interface ProbeNode {
  readonly id: string;
  readonly cluster: string;
  readonly locality: Locality | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function probeNode(id: string): ProbeNode {
  return { id, cluster: '', locality: null, metadata: {} };
}
