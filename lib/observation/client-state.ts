import type { EpochMs } from '../xds/units';
import type { ClockBounds } from './clock-bounds';
import type { Connection } from './connection';
import type { NodeInfo, Side, Vantage } from './observation';
import type { OpenAdsStream } from './open-ads-streams';
import type { ResourceKey, ResourceState, TypeVersion } from './resource-state';
import type { TestClient } from './test-client';

export interface ClientReport {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly originalVantage?: Vantage;
  readonly side: Side;
  firstSeenAt: EpochMs;
  /** Time of the newest observation. (An unchanged poll is not an observation; it counts as freshness of the source.) */
  lastChangedAt: EpochMs;
  /** Set when the source no longer names the client or its stream closed. Cleared by the next report. */
  goneAt: EpochMs | null;
  goneReason: string;
  /** The source reported the client again, on another stream or after an end. Absent: it did not. */
  hasReturned?: boolean;
  /** Set with goneAt if the source is polled: time of the last poll that named the client. */
  lastNamedAt?: EpochMs;
  /** Versions of types, which apply to the resources as ackedVersionOf() states. Absent: none are known. */
  typeVersions?: readonly TypeVersion[];
  /** The clock of a polled source. Absent: it reported no times. */
  clock?: ClockBounds;
  /** The open streams of a tap, the oldest first. Absent: none is known. */
  streams?: readonly OpenAdsStream[];
  /** Replaced as a whole when one changes. Absent: the source reports none. */
  connections?: readonly Connection[];
  /** Replaced as a whole when a part changes. Absent: the source is not of the kind `interop`. */
  testClient?: TestClient;
  /** The key is that of resourceKey(). */
  resources: Map<string, ResourceState>;
}

/** The fold of one client's observations. */
export interface ClientState {
  readonly clientId: string;
  node: NodeInfo;
  nodeSourceId: string;
  /** As CSDS reports it; a target that only streams report is the name of its listener. */
  scope: string;
  reports: Map<string, ClientReport>;
  /** Sequence number of the newest observation folded in. */
  seq: number;
}

/** Type URLs hold no NUL, so the key is unambiguous whatever the name is. */
export function resourceKey({ typeUrl, name }: ResourceKey): string {
  return `${typeUrl}\u0000${name}`;
}
