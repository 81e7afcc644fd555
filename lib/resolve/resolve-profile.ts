/** Client profiles of a resolved config: the gRPC clients of the rules, and Envoy. */
export const resolveProfiles = ['core', 'go', 'java', 'node', 'envoy'] as const;

export type ResolveProfile = (typeof resolveProfiles)[number];

/** Names with the versions that were measured. Other versions can behave differently. */
export const profileNames: Readonly<Record<ResolveProfile, string>> = {
  core: 'C-core 1.51',
  go: 'Go 1.64',
  java: 'Java',
  node: 'Node 1.14',
  envoy: 'Envoy',
};
