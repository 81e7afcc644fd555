import type { EpochMs } from '../xds/units';
import type { NodeInfo, ResourceKey, ResourceState, Side, Vantage } from './observation';

/** What one source reports one client. */
export interface ClientReport {
  readonly sourceId: string;
  readonly vantage: Vantage;
  /** As in the observations. */
  readonly originalVantage?: Vantage;
  readonly side: Side;
  firstSeenAt: EpochMs;
  /** The newest observation. (That a poll came back unchanged is the source's freshness, not an observation.) */
  lastChangedAt: EpochMs;
  /** Set when the source names the client no longer, or its stream closed; cleared by the next report. */
  goneAt: EpochMs | null;
  goneReason: string;
  /** The source reported the client a second time: with another stream, or after it was gone. Absent: it did not. */
  hasReturned?: boolean;
  /** Of a source that is polled, set with goneAt: when it was asked last and still named the client. */
  lastNamedAt?: EpochMs;
  /** By resourceKey(). */
  resources: Map<string, ResourceState>;
}

/** The fold of one client's observations. */
export interface ClientState {
  readonly clientId: string;
  node: NodeInfo;
  /** The source that reported `node`. */
  nodeSourceId: string;
  readonly scope: string;
  reports: Map<string, ClientReport>;
  /** Sequence number of the newest observation folded in. */
  seq: number;
}

/** Type URLs hold no NUL, so the key is unambiguous whatever the name is. */
export function resourceKey({ typeUrl, name }: ResourceKey): string {
  return `${typeUrl}\u0000${name}`;
}
