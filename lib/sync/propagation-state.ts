import type { ResourceState } from '../observation/observation';

/** From where a resource is seen, in the order in which it travels. */
export const propagationPlaces = ['sotw', 'delta', 'controlPlane', 'client'] as const;
export type PropagationPlace = (typeof propagationPlaces)[number];

/** What is said of one resource at one place. null: nobody speaks there; 'unnamed': somebody does, and names it not. */
export type PropagationState = ResourceState | 'unnamed' | null;
export type PropagationStates = Readonly<Record<PropagationPlace, PropagationState>>;

/**
 * - `body`: it is there. - `unread`: it is there, and no source reported the body. - `absent`: it is known not to be there.
 * - `waiting`: it was asked for, and nothing came yet. - `silent`: nothing is known.
 */
export type Presence =
  | { readonly kind: 'body'; readonly hash: string; readonly state: ResourceState }
  | { readonly kind: 'unread'; readonly state: ResourceState }
  | { readonly kind: 'absent' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'silent' };

/** `unnamed`: what it means at this place, beside that one, that the resource is not named. */
export function presenceOf(
  place: PropagationPlace,
  word: PropagationState,
  unnamed: 'absent' | 'silent',
): Presence {
  if (word === null) return { kind: 'silent' };
  if (word === 'unnamed') return { kind: unnamed };
  const hash = bodyOf(place, word);
  if (hash !== null) return { kind: 'body', hash, state: word };
  if (place === 'controlPlane') {
    if (word.configStatus === 'NOT_SENT') return { kind: 'absent' };
    return word.configStatus === 'UNKNOWN' ? { kind: 'silent' } : { kind: 'unread', state: word };
  }
  switch (word.clientStatus) {
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
      return { kind: 'unread', state: word };
  }
}

/** Of a probe what came last, rejected or not; of the others what they say is in use or was sent. */
export function bodyOf(place: PropagationPlace, state: ResourceState): string | null {
  const isProbe = place === 'sotw' || place === 'delta';
  return (isProbe ? state.errorState?.failedHash : undefined) ?? state.hash;
}
