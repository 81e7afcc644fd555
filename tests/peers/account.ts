import type { ClientStatus } from '@/lib/xds/status';

/** The state of a resource, worst first: what a client answered, and what it runs. */
export const states = [
  'NACKED',
  'DOES_NOT_EXIST',
  'TIMEOUT',
  'RECEIVED_ERROR',
  'UNKNOWN',
  'REQUESTED',
  'WARMING',
  'NO_ANSWER',
  'DRAINING',
  'ACTIVE',
  'ACKED',
] as const satisfies readonly (ClientStatus | string)[];
export type State = (typeof states)[number];

export function worstState(some: readonly State[]): State {
  return states.find((state) => some.includes(state)) ?? 'UNKNOWN';
}

/** Whether the client runs what it was sent last, or not; undefined if there is no such resource. */
export function isHealthy(state: State | 'absent'): boolean | undefined {
  return state === 'absent' ? undefined : state === 'ACKED' || state === 'ACTIVE';
}

export interface Fact {
  readonly state: State;
  /** Empty: not reported. */
  readonly version: string;
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
  /** By target, or by listener: whether requests succeed, and the newest error. */
  readonly calls: Readonly<Record<string, string>>;
}
