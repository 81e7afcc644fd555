import type { Profile, Reaction } from '../../validate/profile';
import { checkMark, cross, type Shape, strokedShape, struckThroughCircle } from '../shape';

const shapes: Readonly<Record<Reaction, Shape>> = {
  NACK: strokedShape(cross, 'reject', '--status-nacked'),
  ignore: strokedShape(struckThroughCircle, 'ignore', '--status-timeout'),
  accept: strokedShape(checkMark, 'accept', '--text-muted'),
};

export function reactionShape(reaction: Reaction): Shape {
  return shapes[reaction];
}

export const reactionOrder: readonly Reaction[] = ['NACK', 'ignore', 'accept'];

/** The profiles by reaction, the severest reaction first. Reactions without a profile are left out. */
export function groupReactions(
  reactions: Readonly<Record<Profile, Reaction>>,
  profiles: readonly Profile[],
): { readonly reaction: Reaction; readonly who: readonly Profile[] }[] {
  return reactionOrder
    .map((reaction) => ({ reaction, who: profiles.filter((profile) => reactions[profile] === reaction) }))
    .filter(({ who }) => who.length > 0);
}

/** The client whose verdicts the rules of a profile were compared with. Other versions may react differently. */
export const profileBasis: Readonly<Record<Profile, string>> = {
  core: 'measured with C-core 1.51',
  go: 'measured with grpc-go 1.64',
  java: 'as gRPC’s documents and grpc-java’s code say, not measured',
  node: 'measured with grpc-js-xds 1.14',
  envoy: 'by the constraints in Envoy’s protos and its documents, not measured',
};
