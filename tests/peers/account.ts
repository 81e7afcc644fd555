import type { State } from '@/lib/xds/status';

/** Whether requests of a target, or through a listener, succeed. UNKNOWN: xdscope states that it is not known. */
export type RequestState = 'SUCCEEDS' | 'FAILS' | 'UNKNOWN';

/** Whether the log has a change of resources while nothing changes. */
export type ChangeState = 'UNCHANGED' | 'CHANGED';

/**
 * Whether the client runs what it was sent last, or not; undefined if there is no such resource, and for UNKNOWN, which claims
 * neither.
 */
export function isHealthy(state: State | RequestState | ChangeState | 'absent'): boolean | undefined {
  return state === 'absent' || state === 'UNKNOWN'
    ? undefined
    : ['ACKED', 'ACTIVE', 'SUCCEEDS'].includes(state);
}

export interface Fact {
  readonly state: State;
  /** Empty: not reported. */
  readonly version: string;
  /** The version with which the content came, where only this is known: it is compared instead. */
  readonly contentVersion?: string;
  /** SHA-256 of the payload. Absent: not reported, or not as it was sent. */
  readonly hash?: string;
}

/** What is known about one resource of a client without xdscope. */
export interface AccountRow {
  readonly typeUrl: string;
  /** Empty: the whole type. */
  readonly name: string;
  /** The target (gRFC A71); empty if the client has none. */
  readonly scope: string;
  /** What the client answered to the newest response that carried it. Absent: it was not sent by the control plane. */
  readonly answer?: Fact;
  /** What the client's own interface reports. Absent: it reports nothing about this resource. */
  readonly effect?: Fact;
}

export interface Account {
  readonly rows: readonly AccountRow[];
  /** By target, or by listener: "ok", or the error of the newest request. */
  readonly calls: Readonly<Record<string, string>>;
}
