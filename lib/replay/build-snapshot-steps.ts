import { greatest, group } from 'd3';
import type { EpochMs } from '../xds/units';
import type { ReplayResource, ReplayStep } from './replay-plan';

export interface SnapshotRow {
  readonly typeUrl: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly hash: string | null;
  readonly clientStatus: string;
  readonly errorState: {
    readonly versionInfo: string;
    readonly details: string;
    readonly failedHash: string | null;
  } | null;
}

/**
 * Builds a step with the accepted resources, then one with the rejected resources, so that a client accepts and rejects the
 * same resources.
 */
export function buildSnapshotSteps(rows: Iterable<SnapshotRow>, at: EpochMs): ReplayStep[] {
  const used: ReplayResource[] = [];
  const rejected: ReplayResource[] = [];
  let errorDetail = '';
  for (const { typeUrl, name, versionInfo, hash, clientStatus, errorState } of rows) {
    const key = { typeUrl, name };
    const failedHash = clientStatus === 'NACKED' ? (errorState?.failedHash ?? null) : null;
    if (hash !== null && hash !== failedHash && clientStatus !== 'DOES_NOT_EXIST') {
      used.push({ ...key, versionInfo, hash });
    }
    if (errorState === null || failedHash === null) continue;
    rejected.push({
      ...key,
      versionInfo: errorState.versionInfo || `${versionInfo}-rejected`,
      hash: failedHash,
    });
    errorDetail ||= errorState.details;
  }
  const first = stepOf(used, at, { isAccepted: true, errorDetail: '' });
  return rejected.length === 0 ? [first] : [first, stepOf(rejected, at, { isAccepted: false, errorDetail })];
}

function stepOf(
  resources: readonly ReplayResource[],
  at: EpochMs,
  recorded: ReplayStep['recorded'],
): ReplayStep {
  const byType = group(resources, ({ typeUrl }) => typeUrl);
  const types = Array.from(byType, ([typeUrl, set]) => {
    return { typeUrl, versionInfo: commonVersion(set), set, removed: [] };
  });
  return { at, types, recorded };
}

/** Returns the most frequent version, since state of the world has one version for a type. */
function commonVersion(set: readonly ReplayResource[]): string {
  const byVersion = group(set, ({ versionInfo }) => versionInfo);
  return greatest(byVersion, ([, { length }]) => length)?.[0] ?? '';
}
