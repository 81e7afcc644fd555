import type { PropagationMismatch } from './find-first-mismatch';
import type { PropagationPlace } from './propagation-state';

interface PlaceTexts {
  readonly heading: string;
  /** The part of a finding's name. */
  readonly id: string;
  readonly subject: string;
  /** The content at the place, as a part of a sentence. */
  readonly content: string;
}

export const placeTexts: Readonly<Record<PropagationPlace, PlaceTexts>> = {
  sotw: {
    ...{ heading: 'State of the world', id: 'sotw', subject: 'our state-of-the-world probe' },
    content: 'what our state-of-the-world probe received',
  },
  delta: {
    ...{ heading: 'Delta', id: 'delta', subject: 'our delta probe' },
    content: 'what our delta probe received',
  },
  controlPlane: {
    ...{ heading: 'Control plane', id: 'control-plane', subject: 'the control plane' },
    content: 'what the control plane reports it sent',
  },
  client: {
    heading: 'Client',
    id: 'client',
    subject: 'the client',
    content: 'what the client reports it runs',
  },
};

/** The name of a mismatch as a finding, as in "sotw-delta-divergence". */
export function nameMismatch({ from, to }: Pick<PropagationMismatch, 'from' | 'to'>): string {
  return `${placeTexts[from].id}-${placeTexts[to].id}-divergence`;
}

/** "What the client reports it runs is not what the control plane reports it sent". */
export function describeMismatch({ isOfOtherNode, ...mismatch }: PropagationMismatch): string {
  const text = describeHop(mismatch);
  return isOfOtherNode ? `${text}. The probe requests as another node, which may be sent other config` : text;
}

function describeHop({ from, to, kind }: PropagationMismatch): string {
  const [before, after] = [placeTexts[from], placeTexts[to]];
  switch (kind) {
    case 'content':
      return `${capital(after.content)} is not ${before.content}`;
    case 'missing':
      return to === 'controlPlane'
        ? `The control plane reports it has not sent it; ${before.subject} received it`
        : `${capital(after.subject)} does not have it; ${before.subject} ${hasOf(from)}`;
    case 'extra':
      return `${capital(after.subject)} ${hasOf(to)}; ${before.subject} ${from === 'controlPlane' ? 'reports it has not sent it' : 'does not have it'}`;
    case 'waiting':
      return `${capital(after.subject)} still waits for it; ${before.subject} ${hasOf(from)}`;
    case 'rejected':
      return 'The client rejected what it was sent';
    case 'version':
      return `${capital(after.content)} has another version than ${before.content}; the payloads are not reported`;
  }
}

function hasOf(place: PropagationPlace): string {
  if (place === 'controlPlane') return 'reports it sent it';
  return place === 'client' ? 'has it' : 'received it';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Explains why a place reports nothing. `hasSource` is false if no source observes the place. */
export function explainAbsence(place: PropagationPlace, hasSource: boolean): string {
  switch (place) {
    case 'sotw':
    case 'delta': {
      const probe = place === 'sotw' ? 'state-of-the-world' : 'delta';
      return hasSource
        ? `our ${probe} probe was not sent it, or did not request it`
        : `no ${probe} probe is connected to the server`;
    }
    case 'controlPlane':
      return hasSource
        ? 'the control plane does not report it'
        : 'no control plane that answers CSDS reports the client';
    case 'client':
      return hasSource ? 'the client does not report it' : 'no source reports what the client runs';
  }
}
