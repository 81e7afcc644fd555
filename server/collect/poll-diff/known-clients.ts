import type { NodeInfo, Side } from '@/lib/observation/observation';
import type { ResourceState, TypeVersion } from '@/lib/observation/resource-state';

export type KnownClients = ReadonlyMap<string, KnownClient>;

/** The newest report of one client. */
export interface KnownClient {
  readonly node: NodeInfo;
  readonly scope: string;
  readonly side: Side;
  /** The keys are those of resourceKey(). */
  readonly rows: ReadonlyMap<string, ResourceState>;
  /** Absent: none. */
  readonly typeVersions?: readonly TypeVersion[];
}
