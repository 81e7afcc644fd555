import type { Profile, Reaction } from '../../validate/profile';
import { struckThrough } from '../use-shape';

/** How a client's reaction is drawn: a shape and a word, so that colour is never the only sign. */
export interface ReactionShape {
  /** SVG path data in a box of 16 x 16, stroked. */
  readonly path: string;
  readonly word: string;
  /** The CSS variable with its colour. */
  readonly variable: string;
}

const shapes: Readonly<Record<Reaction, ReactionShape>> = {
  // A cross.
  NACK: { path: 'M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5', word: 'reject', variable: '--status-nacked' },
  ignore: {
    path: struckThrough,
    word: 'ignore',
    variable: '--status-timeout',
  },
  // A check mark.
  accept: { path: 'M2.75 8.5L6.5 12.25L13.25 4.25', word: 'take', variable: '--text-muted' },
};

export function reactionShape(reaction: Reaction): ReactionShape {
  return shapes[reaction];
}

export const reactionOrder: readonly Reaction[] = ['NACK', 'ignore', 'accept'];

/** Who reacts how, the severest first; reactions of nobody are left out. */
export function groupReactions(
  reactions: Readonly<Record<Profile, Reaction>>,
  profiles: readonly Profile[],
): { readonly reaction: Reaction; readonly who: readonly Profile[] }[] {
  return reactionOrder
    .map((reaction) => ({ reaction, who: profiles.filter((profile) => reactions[profile] === reaction) }))
    .filter(({ who }) => who.length > 0);
}

/** Whose verdicts the rules of a profile were held against: other versions may answer differently. */
export const profileBasis: Readonly<Record<Profile, string>> = {
  core: 'measured with C-core 1.51',
  go: 'measured with grpc-go 1.64',
  java: 'as gRPC’s documents and grpc-java’s code say, not measured',
  node: 'measured with grpc-js-xds 1.14',
  envoy: 'by the constraints in Envoy’s protos and its documents, not measured',
};
