import type { ResourceState } from '../observation/resource-state';

/** The places at which a resource is observed, in the order of its propagation. */
export const propagationPlaces = ['sotw', 'delta', 'controlPlane', 'client'] as const;
export type PropagationPlace = (typeof propagationPlaces)[number];

/** The state of a resource at a place; null without a source there; 'unnamed' if the source does not report the resource. */
export type PropagationState = ResourceState | 'unnamed' | null;
export type PropagationStates = Readonly<Record<PropagationPlace, PropagationState>>;

/**
 * - `body`: the resource is present. - `unread`: it is present, but its body is not reported. - `absent`: it is not present.
 * - `waiting`: it was requested, but not received. - `silent`: nothing is known.
 */
export type Presence =
  | { readonly kind: 'body'; readonly hash: string; readonly state: ResourceState }
  | { readonly kind: 'unread'; readonly state: ResourceState }
  | { readonly kind: 'absent' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'silent' };

/** `unnamed` is the presence of a resource that the source does not report. */
export function presenceOf(
  place: PropagationPlace,
  state: PropagationState,
  unnamed: 'absent' | 'silent',
): Presence {
  if (state === null) return { kind: 'silent' };
  if (state === 'unnamed') return { kind: unnamed };
  const hash = bodyOf(place, state);
  if (hash !== undefined) return { kind: 'body', hash, state };
  if (place === 'controlPlane') {
    if (state.configStatus === 'NOT_SENT') return { kind: 'absent' };
    return state.configStatus === 'UNKNOWN' ? { kind: 'silent' } : { kind: 'unread', state };
  }
  switch (state.clientStatus) {
    case 'DOES_NOT_EXIST':
      return { kind: 'absent' };
    case 'REQUESTED':
    case 'TIMEOUT':
    case 'RECEIVED_ERROR':
      return { kind: 'waiting' };
    case 'UNKNOWN':
      return { kind: 'silent' };
    case 'ACKED':
    case 'NACKED':
      return { kind: 'unread', state };
  }
}

export function isProbe(place: PropagationPlace): boolean {
  return place === 'sotw' || place === 'delta';
}

/** The body at a place: of a probe the last one, rejected or not; else the one that is in effect or was sent. */
export function bodyOf(place: PropagationPlace, state: ResourceState): string | undefined {
  return (isProbe(place) ? state.errorState?.failedHash : undefined) ?? state.hash ?? undefined;
}
