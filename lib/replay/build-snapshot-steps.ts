import type { EpochMs } from '../xds/units';
import type { ReplayResource, ReplayStep } from './replay-plan';

/** What of a row is served. */
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
 * What a client had in use, then what it had rejected: so a client that is put before it accepts what was accepted, and
 * rejects what was rejected.
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
  const byType = new Map<string, ReplayResource[]>();
  for (const resource of resources) {
    const list = byType.get(resource.typeUrl) ?? [];
    list.push(resource);
    byType.set(resource.typeUrl, list);
  }
  const types = [...byType].map(([typeUrl, set]) => {
    return { typeUrl, versionInfo: newestVersion(set), set, removed: [] };
  });
  return { at, types, recorded };
}

/** State of the world knows one for all of a type: the one that most have. */
function newestVersion(set: readonly ReplayResource[]): string {
  const counts = new Map<string, number>();
  for (const { versionInfo } of set) counts.set(versionInfo, (counts.get(versionInfo) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}
