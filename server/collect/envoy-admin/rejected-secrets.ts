import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import { SDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from '../../codec/codec';

/** The secrets of these rows that are kept as rejected. */
export function findRejectedSecrets(rows: Iterable<ResourceState>): ReadonlyMap<string, ResourceState> {
  return new Map([...rows].filter(isKept).map((row) => [resourceKey(row), row]));
}

function isKept({ typeUrl, clientStatus, errorState }: ReportedResource): boolean {
  return typeUrl === SDS.typeUrl && clientStatus === 'NACKED' && errorState?.statistic !== undefined;
}

/**
 * Keeps the rejection of a secret that Envoy was sent again. Measured with Envoy 1.40.0, by files and by streams: its config dump
 * lists the rejected secret at its version; it skips equal content that follows, counts a success, and serves what it had. The time
 * last_updated is that of the newest secret that it really accepted, also when a certificate stays and its redacted key changes.
 */
export function keepRejectedSecrets(
  rows: readonly ReportedResource[],
  before: ReadonlyMap<string, ResourceState> | undefined,
): ReportedResource[] {
  return rows.map((row) => {
    const { typeUrl, hash, lastUpdated, errorState } = row;
    if (typeUrl !== SDS.typeUrl) return row;
    if (errorState !== null)
      return isKept(row) ? { ...row, errorState: { ...errorState, failedHash: hash } } : row;
    const known = before?.get(resourceKey(row));
    if (known === undefined || !isKept(known) || known.lastUpdated !== lastUpdated) return row;
    return {
      ...row,
      clientStatus: 'NACKED',
      errorState: known.errorState && { ...known.errorState, failedHash: hash },
    };
  });
}
