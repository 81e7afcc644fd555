/**
 * The clients client profile the rules know. Three are measured: core is C-core 1.51, go is grpc-go 1.64, node is
 * grpc-js-xds 1.14. java and envoy are as their documents, protos and code say.
 */
export const profiles = ['core', 'go', 'java', 'node', 'envoy'] as const;

export type Profile = (typeof profiles)[number];

/** NACK: the resource is rejected. ignore: the part is dropped, or never used. accept: taken as it is. */
export type Reaction = 'NACK' | 'ignore' | 'accept';

export type Reactions = Readonly<Record<Profile, Reaction>>;

export const grpcProfiles = ['core', 'go', 'java', 'node'] as const satisfies readonly Profile[];

/** Every gRPC client rejects it; Envoy, which has the feature, does not. */
export const grpcNack: Reactions = nackBy(...grpcProfiles);
export const everyNack: Reactions = nackBy(...profiles);
export const nobodyNacks: Reactions = nackBy();

export function nackBy(...who: readonly Profile[]): Reactions {
  return reactionsOf('NACK', who);
}

export function ignoredBy(...who: readonly Profile[]): Reactions {
  return reactionsOf('ignore', who);
}

/** Who does not look at the part does not reject it either. */
export function sparing(reactions: Reactions, who: ReadonlySet<Profile>): Reactions {
  return mapProfiles((profile) => (who.has(profile) ? 'ignore' : reactions[profile]));
}

function reactionsOf(reaction: Reaction, who: readonly Profile[]): Reactions {
  return mapProfiles((profile) => (who.includes(profile) ? reaction : 'accept'));
}

function mapProfiles(of: (profile: Profile) => Reaction): Reactions {
  return { core: of('core'), go: of('go'), java: of('java'), node: of('node'), envoy: of('envoy') };
}
