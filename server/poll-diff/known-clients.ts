import type { NodeInfo, ResourceState, Side } from '@/lib/observation/observation';

export type KnownClients = ReadonlyMap<string, KnownClient>;

/** What a source reported last of one client. */
export interface KnownClient {
  readonly node: NodeInfo;
  readonly scope: string;
  readonly side: Side;
  /** By resourceKey(). */
  readonly rows: ReadonlyMap<string, ResourceState>;
}
