/** envoy.admin.v3.ClientResourceStatus: the status of one resource as the CLIENT reports it. */
export const clientStatuses = [
  'UNKNOWN',
  'REQUESTED',
  'DOES_NOT_EXIST',
  'ACKED',
  'NACKED',
  'RECEIVED_ERROR',
  'TIMEOUT',
] as const;
export type ClientStatus = (typeof clientStatuses)[number];

/**
 * envoy.service.status.v3.ConfigStatus: the status as the CONTROL PLANE reports it. Never combined with the client's.
 */
export const configStatuses = ['UNKNOWN', 'SYNCED', 'NOT_SENT', 'STALE', 'ERROR'] as const;
export type ConfigStatus = (typeof configStatuses)[number];

/**
 * The states of a resource in a list: the worst of what the client answered and of what is in effect. Worst first.
 * They are those of ClientResourceStatus, and the states that it lacks: NO_ANSWER (to the newest response that
 * carried the resource), the stages of an Envoy, and ACTIVE: in effect, known from an interface that reports no
 * answers.
 */
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
] as const satisfies readonly (ClientStatus | 'WARMING' | 'NO_ANSWER' | 'DRAINING' | 'ACTIVE')[];
export type State = (typeof states)[number];

const ranks = new Map<State, number>(states.map((state, rank) => [state, rank]));

/** Rank 0 is the worst. */
export function stateRank(state: State): number {
  return ranks.get(state) ?? states.length;
}

export function worstState(some: Iterable<State>): State | undefined {
  let worst: State | undefined;
  for (const state of some) {
    if (worst === undefined || stateRank(state) < stateRank(worst)) worst = state;
  }
  return worst;
}

/** Returns true if the state is a problem. UNKNOWN, REQUESTED and waiting states of an Envoy are not. */
export function isTrouble(state: State): boolean {
  return stateRank(state) <= stateRank('RECEIVED_ERROR');
}
