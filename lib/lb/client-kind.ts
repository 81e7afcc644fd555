import { clientOf, type Profile } from '../xds/profile';

/**
 * Clients whose LB policy tree and failover are simulated: C-core and Node as of gRFC A74 and A75, Go as of A74
 * without A75, and Java, which implements half of A75. Envoy builds no tree of policies.
 */
export const clientKinds = ['core', 'go', 'java', 'node'] as const;
export type ClientKind = (typeof clientKinds)[number];

export const clientKindNames: Readonly<Record<ClientKind, string>> = {
  core: 'C-core (A75)',
  go: 'Go (A74)',
  java: 'Java',
  node: 'Node (A75)',
};

/** Envoy's clusters are shown as C-core would run them. */
export function clientKindOf(profile: Profile): ClientKind {
  const client = clientOf(profile);
  return client === 'envoy' ? 'core' : client;
}
