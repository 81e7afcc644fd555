import { type Reaction, reactionOrder, type Verdict } from '../../validate/reactions';
import { clientNames, clientOf, clients, nameOf, type Profile, profilesOf } from '../../xds/profile';
import { checkMark, cross, type Shape, strokedShape, struckThroughCircle } from '../drawing/shape';

const shapes: Readonly<Record<Reaction, Shape>> = {
  NACK: strokedShape(cross, 'reject', '--status-nacked'),
  'no answer': strokedShape(cross, 'no answer', '--status-nacked'),
  crash: strokedShape(cross, 'crash', '--status-nacked'),
  'not serving': strokedShape(struckThroughCircle, 'ACKED but not serving', '--status-nacked'),
  'ignore resource': strokedShape(struckThroughCircle, 'ACKED and ignored', '--status-timeout'),
  ignore: strokedShape(struckThroughCircle, 'ignore', '--status-timeout'),
  accept: strokedShape(checkMark, 'accept', '--text-muted'),
};

export function reactionShape(reaction: Reaction): Shape {
  return shapes[reaction];
}

/** Ends a sentence that begins with the name of a client, as in "Go 1.85 rejects it". */
export const verdictTexts: Readonly<Record<Verdict, string>> = {
  NACK: 'rejects it',
  NO_ANSWER: 'sends no answer: its parser fails',
  CRASH: 'crashes',
  ACK_NOT_SERVING: 'ACKs it and does not serve',
  ACK_IGNORED: 'ACKs it and ignores it',
  NO_FAULT_FOUND: 'violates no rule with it; not every part is checked',
  ACK: 'accepts it',
};

/** The profiles by reaction, the severest reaction first. Reactions without a profile are left out. */
export function groupReactions(
  reactions: Readonly<Record<Profile, Reaction>>,
  profiles: readonly Profile[],
): { readonly reaction: Reaction; readonly who: readonly Profile[] }[] {
  return reactionOrder
    .map((reaction) => ({ reaction, who: profiles.filter((profile) => reactions[profile] === reaction) }))
    .filter(({ who }) => who.length > 0);
}

/** The names of profiles; a client all of whose profiles are among them is named once, without versions. */
export function nameProfiles(who: readonly Profile[]): string {
  return clients
    .flatMap((client) => {
      const own = who.filter((profile) => clientOf(profile) === client);
      return own.length === profilesOf(client).length ? [clientNames[client]] : own.map(nameOf);
    })
    .join(', ');
}
