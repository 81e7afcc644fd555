import type { EpochMs } from '../xds/units';
import {
  isProbe,
  type Presence,
  type PropagationPlace,
  type PropagationStates,
  presenceOf,
  propagationPlaces,
} from './propagation-state';

/**
 * The ways in which a place differs from the one before. `content`: another body. `missing`: the resource is absent.
 * `extra`: the resource is absent at the place before. `waiting`: the resource was requested, but not received.
 * `rejected`: the client NACKed it. `version`: another version of a body that is not reported.
 */
export const propagationMismatchKinds = [
  'content',
  'missing',
  'extra',
  'waiting',
  'rejected',
  'version',
] as const;
type PropagationMismatchKind = (typeof propagationMismatchKinds)[number];

export interface PropagationMismatch {
  readonly from: PropagationPlace;
  readonly to: PropagationPlace;
  readonly kind: PropagationMismatchKind;
  /** The newest change at one of the two places; absent: not reported. */
  readonly since?: EpochMs | undefined;
  /** Set if a probe is compared with the client, and requests as another node: a server may send it other config. */
  readonly isOfOtherNode?: true | undefined;
}

/** The id of the node as which each place requests resources. */
export type NodesOfPlaces = Readonly<Partial<Record<PropagationPlace, string>>>;

/**
 * Two polls of the slowest source by default (15 s). A resource that changes more often, and that a place never gets, is
 * counted as behind for as long.
 */
const pollLagMs = 30_000;

/** Two streams never deliver at the same time, so a shorter difference of the probes is an update in transit. */
export const streamLagMs = 5_000;

/**
 * Returns true if the place that differs may just not have received or reported the newest change. A rejected resource
 * does not follow.
 */
export function isBehind(
  { to, kind, since, isOfOtherNode }: Omit<PropagationMismatch, 'from'>,
  at: EpochMs,
): boolean {
  if (isOfOtherNode) return false;
  const lagMs = isProbe(to) ? streamLagMs : pollLagMs;
  return kind !== 'rejected' && since !== undefined && at - since < lagMs;
}

/** Returns true if two bodies, given by their hashes, mean the same. `to` is the place of the right one. */
export type IsSameContent = (left: string, right: string, to: PropagationPlace) => boolean;

export interface PropagationVerdict {
  /** The first place that differs from the one before; null if all places agree. */
  readonly hop: PropagationMismatch | null;
  /** The number of places that report the resource. One alone cannot be compared. */
  readonly compared: number;
}

/**
 * Finds the first place at which a resource differs on its way from the server to the client. A mismatch of another node
 * is found only if there is no other.
 */
export function findFirstMismatch(
  states: PropagationStates,
  isSame: IsSameContent,
  nodes: NodesOfPlaces = {},
): PropagationVerdict {
  let before: { readonly place: PropagationPlace; readonly presence: Presence } | undefined;
  const hops: PropagationMismatch[] = [];
  let compared = 0;
  for (const place of propagationPlaces) {
    const presence = presenceOf(place, states[place], presenceIfUnreported(place, states));
    if (presence.kind === 'silent') continue;
    compared += 1;
    const kind = before && validate(before.presence, { place, presence }, before.place, isSame);
    if (before !== undefined && kind !== undefined) {
      const since = newestChange(states, before.place, place);
      const isOfOtherNode = isOfOther(before.place, place, kind, nodes);
      hops.push({ from: before.place, to: place, kind, since, ...(isOfOtherNode && { isOfOtherNode }) });
    }
    before = { place, presence };
  }
  return { hop: hops.find(({ isOfOtherNode }) => !isOfOtherNode) ?? hops[0] ?? null, compared };
}

/** The two probes request the same. That a client rejects a resource or waits for it does not depend on a probe. */
function isOfOther(
  from: PropagationPlace,
  to: PropagationPlace,
  kind: PropagationMismatchKind,
  nodes: NodesOfPlaces,
): boolean {
  if (kind === 'rejected' || kind === 'waiting') return false;
  return isProbe(from) && !isProbe(to) && nodes[from] !== nodes[to];
}

function newestChange(states: PropagationStates, ...places: PropagationPlace[]): EpochMs | undefined {
  const times = places.flatMap((place) => {
    const state = states[place];
    return state === null || state === 'unnamed' ? [] : [state.changedAt];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Decides whether a resource that a place does not report is absent. Both probes request the same resources, and a client
 * reports all resources that it requested. Otherwise the resource may exist without being requested.
 */
function presenceIfUnreported(
  place: PropagationPlace,
  { sotw, delta, controlPlane }: PropagationStates,
): 'absent' | 'silent' {
  if (place === 'sotw') return isThere(delta) ? 'absent' : 'silent';
  if (place === 'delta') return isThere(sotw) ? 'absent' : 'silent';
  return place === 'client' && isThere(controlPlane) ? 'absent' : 'silent';
}

function isThere(state: PropagationStates[PropagationPlace]): boolean {
  return state !== null && state !== 'unnamed' && state.hash !== null;
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
    return before.hash === presence.hash || isSame(before.hash, presence.hash, place) ? undefined : 'content';
  }
  // Versions of delta (of a resource) and of state of the world (of a type) cannot be compared.
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
