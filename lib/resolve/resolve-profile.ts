import { type ErrorModel, errorModels } from '../xds/probe-choices';

/** Whose manners the resolved config follows: the gRPC clients of the rules, and Envoy. */
export const resolveProfiles = ['core', 'go', 'java', 'node', 'envoy'] as const;

export type ResolveProfile = (typeof resolveProfiles)[number];

export const profileNames: Readonly<Record<ResolveProfile, string>> = {
  core: 'C-core',
  go: 'Go',
  java: 'Java',
  node: 'Node',
  envoy: 'Envoy',
};

export { type ErrorModel, errorModels };
