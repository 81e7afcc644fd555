import type { ResolveProfile } from './resolve-profile';

/** The profile of a user agent such as "gRPC Go", "gRPC Node Pure JS" or "gRPC C-core linux"; undefined if unknown. */
export function findProfile(userAgentName: string): ResolveProfile | undefined {
  const name = userAgentName.toLowerCase();
  if (name.includes('envoy')) return 'envoy';
  if (name.includes('c-core')) return 'core';
  if (/\bgo\b/.test(name)) return 'go';
  if (/\bjava\b/.test(name)) return 'java';
  return /\bnode\b/.test(name) ? 'node' : undefined;
}

/**
 * grpc-go is the newest of the measured clients, and therefore the default for unknown user agents and our own probe.
 */
export function guessProfile(userAgentName: string): ResolveProfile {
  return findProfile(userAgentName) ?? 'go';
}
