import type { ResourceState } from './resource-state';

/**
 * Returns true if a request named a resource that does not exist. Anybody who can send requests makes up such names, so that
 * they are not a problem of the config.
 */
export function isMissingOnDemand({
  isOnDemand,
  clientStatus,
}: Pick<ResourceState, 'isOnDemand' | 'clientStatus'>): boolean {
  return isOnDemand === true && clientStatus === 'DOES_NOT_EXIST';
}
