import type { PropagationMismatch } from './find-first-mismatch';
import type { PropagationPlace } from './propagation-state';

/** As a column's head. */
export const placeNames: Readonly<Record<PropagationPlace, string>> = {
  sotw: 'State of the world',
  delta: 'Delta',
  controlPlane: 'Control plane',
  client: 'Client',
};

/** What it says, as part of a sentence. */
const sayings: Readonly<Record<PropagationPlace, string>> = {
  sotw: 'what our state-of-the-world probe got',
  delta: 'what our delta probe got',
  controlPlane: 'what the control plane says it sent',
  client: 'what the client says it runs',
};

const subjects: Readonly<Record<PropagationPlace, string>> = {
  sotw: 'our state-of-the-world probe',
  delta: 'our delta probe',
  controlPlane: 'the control plane',
  client: 'the client',
};

const placesInNames: Readonly<Record<PropagationPlace, string>> = {
  sotw: 'sotw',
  delta: 'delta',
  controlPlane: 'control-plane',
  client: 'client',
};

/** The hop's name as a finding: "sotw-delta-divergence", as the standing check calls it, too. */
export function nameMismatch({ from, to }: Pick<PropagationMismatch, 'from' | 'to'>): string {
  return `${placesInNames[from]}-${placesInNames[to]}-divergence`;
}

/** "What the client says it runs is not what the control plane says it sent". */
export function describeMismatch({ from, to, kind }: PropagationMismatch): string {
  switch (kind) {
    case 'content':
      return `${capital(sayings[to])} is not ${sayings[from]}`;
    case 'missing':
      return to === 'controlPlane'
        ? `The control plane says it has not sent it; ${subjects[from]} got it`
        : `${capital(subjects[to])} does not have it; ${subjects[from]} ${hasOf(from)}`;
    case 'extra':
      return `${capital(subjects[to])} ${hasOf(to)}; ${subjects[from]} ${from === 'controlPlane' ? 'says it has not sent it' : 'does not have it'}`;
    case 'waiting':
      return `${capital(subjects[to])} still waits for it; ${subjects[from]} ${hasOf(from)}`;
    case 'rejected':
      return 'The client rejected what it was sent';
    case 'version':
      return `${capital(sayings[to])} has another version than ${sayings[from]}; the bodies are not reported`;
  }
}

function hasOf(place: PropagationPlace): string {
  if (place === 'controlPlane') return 'says it sent it';
  return place === 'client' ? 'has it' : 'got it';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

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
