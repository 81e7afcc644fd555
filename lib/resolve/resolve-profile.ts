/** Whose manners the resolved config follows: the gRPC clients of the rules, and Envoy. */
export const resolveProfiles = ['core', 'go', 'java', 'node', 'envoy'] as const;

export type ResolveProfile = (typeof resolveProfiles)[number];

/**
 * What a deletion does to what was cached. gRFC A53: it is dropped; gRFC A88: it stays in use, and the deletion is an
 * ambient error.
 */
export const errorModels = ['a88', 'pre-a88'] as const;

export type ErrorModel = (typeof errorModels)[number];
