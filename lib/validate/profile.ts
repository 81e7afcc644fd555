/**
 * The gRPC clients whose manners the rules know. Three are measured: core is C-core 1.51, go is grpc-go 1.64, node is
 * grpc-js-xds 1.14. java is as its documents and code say.
 */
export const profiles = ['core', 'go', 'java', 'node'] as const;

export type Profile = (typeof profiles)[number];

/** NACK: the resource is refused. ignore: the part is dropped, or never used. accept: taken as it is. */
export type Reaction = 'NACK' | 'ignore' | 'accept';

export type Reactions = Readonly<Record<Profile, Reaction>>;

export const allNack: Reactions = nackBy('core', 'go', 'java', 'node');

export function nackBy(...who: Profile[]): Reactions {
  return reactionsOf('NACK', who);
}

export function ignoredBy(...who: Profile[]): Reactions {
  return reactionsOf('ignore', who);
}

/** Who does not look at the part does not refuse it either. */
export function sparing(reactions: Reactions, who: ReadonlySet<Profile>): Reactions {
  const of = (profile: Profile): Reaction => (who.has(profile) ? 'ignore' : reactions[profile]);
  return { core: of('core'), go: of('go'), java: of('java'), node: of('node') };
}

function reactionsOf(reaction: Reaction, who: readonly Profile[]): Reactions {
  const of = (profile: Profile): Reaction => (who.includes(profile) ? reaction : 'accept');
  return { core: of('core'), go: of('go'), java: of('java'), node: of('node') };
}
