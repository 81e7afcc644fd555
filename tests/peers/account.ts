import type { State } from '@/lib/xds/status';

/** States whether requests of a target, or through a listener, succeed. UNKNOWN: xdscope states that it is not known. */
export type RequestState = 'SUCCEEDS' | 'FAILS' | 'UNKNOWN';

/** CHANGED: the log has a change of resources while nothing changes. */
export type ChangeState = 'UNCHANGED' | 'CHANGED';

/**
 * True if the client runs what it was sent last, and false if not; undefined if there is no such resource, and for
 * UNKNOWN, which claims neither.
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

/** The facts about one resource of a client that are known without xdscope. */
export interface AccountRow {
  readonly typeUrl: string;
  /** Empty: the whole type. */
  readonly name: string;
  /** The target (gRFC A71); empty if the client has none. */
  readonly scope: string;
  /** The client's answer to the newest response that carried it. Absent: it was not sent by the control plane. */
  readonly answer?: Fact;
  /** The state that the client's own interface reports. Absent: it reports nothing about this resource. */
  readonly effect?: Fact;
}

export interface Account {
  readonly rows: readonly AccountRow[];
  /** The result of the newest request to each target, or through each listener: "ok", or the error. */
  readonly calls: Readonly<Record<string, string>>;
}
