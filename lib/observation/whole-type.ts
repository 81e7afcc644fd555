import type { Observation } from './observation';
import type { ResourceState } from './resource-state';

/**
 * Returns true if a row of a control plane's report is the status of a whole type, which states, as istiod reports
 * it, whether the client has answered the newest response of the type.
 */
export function isWholeType({ name, hash }: Pick<ResourceState, 'name' | 'hash'>): boolean {
  return name === '' && hash === null;
}

/**
 * Returns true if the observation changes what a control plane reports of a whole type, on which all rows of the type
 * depend.
 */
export function changesWholeType(observation: Observation): boolean {
  if (observation.kind !== 'client-config-changed' || observation.side !== 'control-plane') return false;
  return observation.changed.some(isWholeType) || observation.removed.some(({ name }) => name === '');
}
