import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { isAckOfRejected } from '@/lib/observation/effect-stage';
import type { ResourceState } from '@/lib/observation/resource-state';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { requested } from '../../xds/client/resource-state';

/** Whether the client rejected this payload, as opposed to a response that contained it beside an invalid one. */
export function isRejected({ name, clientStatus, hash, errorState }: ResourceState, sent: string): boolean {
  if (clientStatus !== 'NACKED' || hash === sent || errorState?.failedHash !== sent) return false;
  return parseNackText(errorState.details).some(
    ({ resourceName }) => resourceName !== undefined && normaliseResourceName(resourceName) === name,
  );
}

/**
 * The client ACKed a payload that it had rejected. What was in effect before may still be: Envoy skips a cluster that it
 * has from the rejected response.
 */
export function ackOfRejected(row: ResourceState, next: ResourceState): ResourceState {
  const { versionInfo, lastUpdated, hash, sizeBytes, errorState } = row;
  if (hash === null) return { ...next, errorState };
  return {
    ...next,
    errorState,
    otherVersions: [{ stage: 'active', versionInfo, lastUpdated, hash, sizeBytes }],
  };
}

/** Reverts ackOfRejected(). */
export function beforeAck(row: ResourceState): ResourceState {
  if (!isAckOfRejected(row)) return row;
  const { otherVersions, ...rest } = row;
  const { versionInfo, lastUpdated, hash, sizeBytes } = otherVersions?.[0] ?? requested(row, row.changedAt);
  return { ...rest, clientStatus: 'NACKED', versionInfo, lastUpdated, hash, sizeBytes };
}
