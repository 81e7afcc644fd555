import type { ResourceState } from './resource-state';

/**
 * Returns true if a request named a resource that does not exist. Anybody who can send requests makes up such names, so that
 * they are no trouble of the config.
 */
export function isOfRequest({
  isOnDemand,
  clientStatus,
}: Pick<ResourceState, 'isOnDemand' | 'clientStatus'>): boolean {
  return isOnDemand === true && clientStatus === 'DOES_NOT_EXIST';
}
