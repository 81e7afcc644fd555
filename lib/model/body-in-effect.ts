import { effectStageOf, type HeldState, isAckOfRejected } from '../observation/effect-stage';
import type { ResourceModel } from './parse-resource';

/**
 * The body that requests are served with; null if there is none, or if it is not known. A warming version is not in
 * effect yet, and a draining one is only for connections that exist.
 */
export function bodyInEffect(state: HeldState): string | null {
  const stage = effectStageOf(state);
  return stage === 'active' || stage === 'kept' ? heldBody(state) : null;
}

/** The body that represents a resource in graphs and references: of the version in effect, warming or draining. */
export function heldBody(state: HeldState): string | null {
  if (effectStageOf(state) === undefined) return null;
  if (!isAckOfRejected(state)) return state.hash;
  return state.otherVersions?.find(({ stage }) => stage === 'active')?.hash ?? null;
}

/**
 * Models are keyed by hash and type, because a cluster and its endpoints can have equal bytes (if both have only a
 * name).
 */
export type ModelOf = (hash: string, typeUrl: string) => ResourceModel | undefined;
