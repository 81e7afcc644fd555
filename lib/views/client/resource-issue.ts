import { isMissingOnDemand } from '../../observation/is-missing-on-demand';
import { type ConfigStatus, isTrouble, type State } from '../../xds/status';
import type { ClientResource } from './client-resource';

/** Returns the status for which a resource counts as an issue; undefined if it does not. */
export function findResourceIssue({
  isOwn,
  shown,
  state,
  configStatus,
}: ClientResource): State | ConfigStatus | undefined {
  const { hash, versionInfo, errorState, doubt } = state;
  if (isOwn && isMissingOnDemand(state)) return undefined;
  // CSDS: a client that has not reached its management server reports a name with the status UNKNOWN.
  const isUnknown = shown === 'UNKNOWN' && doubt === undefined;
  const isUnreached = isUnknown && hash === null && versionInfo === '' && errorState === null;
  if (isOwn && shown !== null && (isTrouble(shown) || isUnreached)) return shown;
  return configStatus === 'ERROR' || configStatus === 'STALE' ? configStatus : undefined;
}

/** Empty: the status says enough. */
export function describeIssue(status: State | ConfigStatus): string {
  switch (status) {
    case 'UNKNOWN':
      return 'the client has no response of its management server';
    case 'STALE':
      return 'the control plane sent it, and the client has not acknowledged it';
    default:
      return '';
  }
}
