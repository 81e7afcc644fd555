import { CDS } from '../xds/resource-type';
import { type State, worstState } from '../xds/status';
import { isAckOfRejected } from './effect-stage';
import type { ResourceState } from './resource-state';

/**
 * The state of a resource by its report, or by two reports on one client: `state` is of an interface that reports what is
 * in effect, `answered` of a tap, which records the answers.
 */
export function combinedState(state: ResourceState, answered?: ResourceState): State {
  const effect = effectOf(answered !== undefined && isAnswer(state) ? accepted(state) : state);
  if (answered === undefined) return effect ?? answerOf(state);
  const answer = answerOf(answered);
  // CSDS reports one status for the answer and what is in effect.
  if (answer === 'NO_ANSWER' && effect === undefined && !isAnswer(state))
    return worstState([answer, answerOf(state)]) ?? answer;
  // ACTIVE is the state of a resource whose answer is not known.
  if (effect === undefined || effect === 'ACTIVE') return answer;
  return worstState([answer, effect]) ?? answer;
}

function answerOf(state: ResourceState): State {
  const { clientStatus, unanswered, doubt, typeUrl } = state;
  if (unanswered !== undefined) return 'NO_ANSWER';
  // Envoy ACKs a cluster that it rejected before when it comes again, and does not run it. It lists such a secret as active.
  if (typeUrl === CDS.typeUrl && isAckOfRejected(state)) return 'NACKED';
  return doubt === 'added-again' ? 'UNKNOWN' : clientStatus;
}

/**
 * Returns true if the status is that of the answer, which statistics of Envoy show: a tap has recorded the same
 * answer. A cluster with a rejected version that warms stays rejected, although Envoy may ACK the version when it
 * comes again.
 */
export function isAnswer({ errorState, typeUrl }: ResourceState): boolean {
  return errorState?.statistic !== undefined && typeUrl !== CDS.typeUrl;
}

function accepted(state: ResourceState): ResourceState {
  return { ...state, clientStatus: 'ACKED', errorState: null };
}

/** Returns undefined if the source does not report what is in effect beside the answer. */
function effectOf(state: ResourceState): State | undefined {
  const { clientStatus, isStatic, stage, otherVersions, errorState, doubt } = state;
  // Static resources are in no response.
  if (stage === undefined)
    return isStatic && clientStatus === 'UNKNOWN' && doubt !== 'configured' ? 'ACTIVE' : undefined;
  if (clientStatus === 'NACKED' || errorState?.statistic !== undefined) return clientStatus;
  // A version that warms will replace the active one; one that drains was replaced.
  const isWarming = stage === 'warming' || otherVersions?.some((other) => other.stage === 'warming') === true;
  if (isWarming) return 'WARMING';
  return stage === 'draining' ? 'DRAINING' : 'ACTIVE';
}
