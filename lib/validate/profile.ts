/**
 * Client profiles of the rules. Three were measured: `core` is C-core 1.51, `go` is grpc-go 1.64, `node` is grpc-js-
 * xds 1.14. `java` and `envoy` follow their documents, protos and source code.
 */
export const profiles = ['core', 'go', 'java', 'node', 'envoy'] as const;

export type Profile = (typeof profiles)[number];

/**
 * NACK: the client rejects the resource. ignore: it drops the part or never uses it. accept: it uses the part as it
 * is.
 */
export type Reaction = 'NACK' | 'ignore' | 'accept';

export type Reactions = Readonly<Record<Profile, Reaction>>;

export const grpcProfiles = ['core', 'go', 'java', 'node'] as const satisfies readonly Profile[];

/** Every gRPC client rejects the part; Envoy supports the feature. */
export const grpcNack: Reactions = nackBy(...grpcProfiles);
export const everyNack: Reactions = nackBy(...profiles);
export const noNacks: Reactions = nackBy();

export function nackBy(...clients: readonly Profile[]): Reactions {
  return reactionsOf('NACK', clients);
}

export function ignoredBy(...clients: readonly Profile[]): Reactions {
  return reactionsOf('ignore', clients);
}

/** Reactions without those of clients that do not read the part. */
export function withoutReactionsOf(reactions: Reactions, clients: ReadonlySet<Profile>): Reactions {
  return mapProfiles((profile) => (clients.has(profile) ? 'ignore' : reactions[profile]));
}

function reactionsOf(reaction: Reaction, clients: readonly Profile[]): Reactions {
  return mapProfiles((profile) => (clients.includes(profile) ? reaction : 'accept'));
}

function mapProfiles(of: (profile: Profile) => Reaction): Reactions {
  return { core: of('core'), go: of('go'), java: of('java'), node: of('node'), envoy: of('envoy') };
}
