import {
  type Presence,
  type PropagationPlace,
  type PropagationStates,
  presenceOf,
  propagationPlaces,
} from './propagation-state';

/**
 * How what is reported further on differs. `content`: another body. `missing`: it did not get there. `extra`: it is there, and
 * not where it should come from. `waiting`: it was asked for and has not come. `rejected`: the client says so. `version`:
 * another version, of bodies that no source reported.
 */
export const propagationMismatchKinds = [
  'content',
  'missing',
  'extra',
  'waiting',
  'rejected',
  'version',
] as const;
export type PropagationMismatchKind = (typeof propagationMismatchKinds)[number];

export interface PropagationMismatch {
  readonly from: PropagationPlace;
  readonly to: PropagationPlace;
  readonly kind: PropagationMismatchKind;
}

/** Whether two bodies mean the same, by their hashes. */
export type IsSameContent = (left: string, right: string) => boolean;

export interface PropagationVerdict {
  /** The first place that reports something else than the one before it; null: all that is known agrees. */
  readonly hop: PropagationMismatch | null;
  /** Places that tell anything: of one alone nothing can be said. */
  readonly compared: number;
}

/** Where a resource became another one on its way from the server to the client. */
export function findFirstMismatch(words: PropagationStates, isSame: IsSameContent): PropagationVerdict {
  let before: { readonly place: PropagationPlace; readonly presence: Presence } | undefined;
  let hop: PropagationMismatch | null = null;
  let compared = 0;
  for (const place of propagationPlaces) {
    const presence = presenceOf(place, words[place], whatUnnamedMeans(place, words));
    if (presence.kind === 'silent') continue;
    compared += 1;
    const kind = before && validate(before.presence, { place, presence }, before.place, isSame);
    if (before !== undefined && kind !== undefined) hop ??= { from: before.place, to: place, kind };
    before = { place, presence };
  }
  return { hop, compared };
}

/**
 * Two probes ask for the same: what one has, the other was not sent. What a probe was not asked to ask for may be there
 * all the same; and a client reports all that it asked for.
 */
function whatUnnamedMeans(
  place: PropagationPlace,
  { sotw, delta, controlPlane }: PropagationStates,
): 'absent' | 'silent' {
  if (place === 'sotw') return isThere(delta) ? 'absent' : 'silent';
  if (place === 'delta') return isThere(sotw) ? 'absent' : 'silent';
  return place === 'client' && isThere(controlPlane) ? 'absent' : 'silent';
}

function isThere(word: PropagationStates[PropagationPlace]): boolean {
  return word !== null && word !== 'unnamed' && word.hash !== null;
}

function validate(
  before: Presence,
  { place, presence }: { readonly place: PropagationPlace; readonly presence: Presence },
  beforePlace: PropagationPlace,
  isSame: IsSameContent,
): PropagationMismatchKind | undefined {
  if (before.kind === 'waiting' || before.kind === 'silent' || presence.kind === 'silent') return undefined;
  if (before.kind === 'absent') return isIn(presence) && !isStatic(presence) ? 'extra' : undefined;
  if (presence.kind === 'absent') return 'missing';
  if (presence.kind === 'waiting') return 'waiting';
  if (place === 'client' && presence.state.clientStatus === 'NACKED') return 'rejected';
  if (before.kind === 'body' && presence.kind === 'body') {
    return before.hash === presence.hash || isSame(before.hash, presence.hash) ? undefined : 'content';
  }
  // Delta numbers each resource, state of the world the type: of those versions say nothing.
  const [left, right] = [before.state.versionInfo, presence.state.versionInfo];
  const areComparable = beforePlace === 'controlPlane' && left !== '' && right !== '';
  return areComparable && left !== right ? 'version' : undefined;
}

function isIn({ kind }: Presence): boolean {
  return kind === 'body' || kind === 'unread';
}

function isStatic(presence: Presence): boolean {
  return 'state' in presence && presence.state.isStatic;
}
