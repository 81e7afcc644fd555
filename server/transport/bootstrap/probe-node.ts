import type { Locality } from '@/lib/observation/observation';

/** The probe's node (envoy.config.core.v3.Node). The metadata is sent to the server unchanged. */
export interface ProbeNode {
  readonly id: string;
  readonly cluster: string;
  readonly locality: Locality | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function probeNode(id: string): ProbeNode {
  return { id, cluster: '', locality: null, metadata: {} };
}
