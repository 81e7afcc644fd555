import type { ResolveProfile } from './resolve-profile';

/** The profile that a node's user agent reports: "gRPC Go", "gRPC Node Pure JS", "gRPC C-core linux"; undefined: none. */
export function findProfile(userAgentName: string): ResolveProfile | undefined {
  const name = userAgentName.toLowerCase();
  if (name.includes('envoy')) return 'envoy';
  if (name.includes('c-core')) return 'core';
  if (/\bgo\b/.test(name)) return 'go';
  if (/\bjava\b/.test(name)) return 'java';
  return /\bnode\b/.test(name) ? 'node' : undefined;
}

/** Of the measured clients grpc-go is the newest: which source reports nothing, our own probe too, is taken for it. */
export function guessProfile(userAgentName: string): ResolveProfile {
  return findProfile(userAgentName) ?? 'go';
}
