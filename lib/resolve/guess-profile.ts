import type { ResolveProfile } from './resolve-profile';

/** The profile that a node's user agent tells: "gRPC Go", "gRPC Node Pure JS", "gRPC C-core linux"; core by default. */
export function guessProfile(userAgentName: string): ResolveProfile {
  const name = userAgentName.toLowerCase();
  if (name.includes('envoy')) return 'envoy';
  if (/\bgo\b/.test(name)) return 'go';
  if (/\bjava\b/.test(name)) return 'java';
  return /\bnode\b/.test(name) ? 'node' : 'core';
}
