import type { TruthPlace } from './truth-word';

/** Why nothing stands at a place. */
export function whyNoWord(place: TruthPlace, isSpoken: boolean): string {
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
        : 'no control plane that answers CSDS tells of the client';
    case 'client':
      return isSpoken ? 'the client does not name it' : 'nobody tells what the client runs';
  }
}
