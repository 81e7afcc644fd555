import { effectStageOf, type HeldState, isAckOfRejected } from '../observation/effect-stage';
import type { ResourceModel } from './parse-resource';

/**
 * The body that requests are served with; undefined if there is none, or if it is not known. A warming version is not in
 * effect yet, and a draining one is only for connections that exist.
 */
export function bodyInEffect(state: HeldState): string | undefined {
  const stage = effectStageOf(state);
  return stage === 'active' || stage === 'kept' ? heldBody(state) : undefined;
}

/** The body that represents a resource in graphs and references: of the version in effect, warming or draining. */
export function heldBody(state: HeldState): string | undefined {
  if (effectStageOf(state) === undefined) return undefined;
  if (!isAckOfRejected(state)) return state.hash ?? undefined;
  return state.otherVersions?.find(({ stage }) => stage === 'active')?.hash ?? undefined;
}

/**
 * Models are keyed by hash and type, because a cluster and its endpoints can have equal bytes (if both have only a
 * name).
 */
export type ModelOf = (hash: string, typeUrl: string) => ResourceModel | undefined;
