import type { ClientReport } from './client-state';
import { resourceKey } from './client-state';
import type { ClientConfigChanged, ResourceState } from './observation';

/**
 * A poller that has just started knows nothing of what the log already holds: its first word on a client is
 * complete, and names every row as changed. This makes it what it is, a difference to the last report: rows that
 * stayed the same keep the moment of their last change, rows that are no longer told are removed.
 */
export function reconcileFirstReport(
  first: ClientConfigChanged,
  known: ClientReport | undefined,
): ClientConfigChanged {
  if (known === undefined || known.side !== first.side) return first;
  const told = new Set(first.changed.map(resourceKey));
  return {
    ...first,
    changed: first.changed.filter((row) => !isSameState(row, known.resources.get(resourceKey(row)))),
    removed: [...known.resources.values()]
      .filter((row) => !told.has(resourceKey(row)))
      .map(({ typeUrl, name }) => ({ typeUrl, name })),
  };
}

/** Equal in everything that the reporter told; `changedAt` is ours. */
export function isSameState(a: ResourceState, b: ResourceState | undefined): boolean {
  if (b === undefined) return false;
  return (
    a.versionInfo === b.versionInfo &&
    a.clientStatus === b.clientStatus &&
    a.configStatus === b.configStatus &&
    a.lastUpdated === b.lastUpdated &&
    a.hash === b.hash &&
    a.sizeBytes === b.sizeBytes &&
    a.isStatic === b.isStatic &&
    a.apiVersion === b.apiVersion &&
    a.errorState?.details === b.errorState?.details &&
    a.errorState?.versionInfo === b.errorState?.versionInfo &&
    a.errorState?.lastUpdateAttempt === b.errorState?.lastUpdateAttempt &&
    a.errorState?.failedHash === b.errorState?.failedHash &&
    a.stage === b.stage &&
    (a.otherVersions === b.otherVersions ||
      JSON.stringify(a.otherVersions) === JSON.stringify(b.otherVersions))
  );
}
