import type { PropagationPlace } from './propagation-state';

/** Why nothing stands at a place. */
export function whyNoWord(place: PropagationPlace, isSpoken: boolean): string {
  switch (place) {
    case 'sotw':
    case 'delta': {
      const probe = place === 'sotw' ? 'state-of-the-world' : 'delta';
      return isSpoken
        ? `our ${probe} probe was not sent it, or did not ask for it`
        : `no ${probe} probe asks the server`;
    }
    case 'controlPlane':
      return isSpoken
        ? 'the control plane does not name it'
        : 'no control plane that answers CSDS reports the client';
    case 'client':
      return isSpoken ? 'the client does not name it' : 'no source reports what the client runs';
  }
}
