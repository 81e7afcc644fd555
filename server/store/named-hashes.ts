import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';

/** Returns each body that an observation names once. Retention keeps exactly these bodies. */
export function namedHashes(observation: Observation): string[] {
  const hashes = new Set<string>();
  if ('changed' in observation) addHashes(hashes, observation.changed);
  if (observation.kind === 'response-received') {
    for (const { hash } of observation.resources) hashes.add(hash);
  }
  return [...hashes];
}

/** A resource names its body, the rejected body, and the bodies of other versions. */
export function addHashes(hashes: Set<string>, resources: Iterable<ResourceState>): void {
  for (const { hash, errorState, otherVersions } of resources) {
    if (hash !== null) hashes.add(hash);
    if (errorState !== null && errorState.failedHash !== null) hashes.add(errorState.failedHash);
    for (const other of otherVersions ?? []) if (other.hash !== null) hashes.add(other.hash);
  }
}
