import type { ClientReport } from './client-state';
import { resourceKey } from './client-state';
import type { ClientConfigChanged, ResourceKey, ResourceState } from './observation';

/**
 * A poller that has just started knows nothing of what the log already holds: its first word on a client is
 * complete, and names every row as changed. This makes it what it is, a difference to the last report: rows that
 * stayed the same keep the moment of their last change, rows that are no longer reported are removed. A word in several
 * parts is taken part by part, each before the next one is folded; what is no longer reported comes with the last.
 */
export class FirstReport {
  /** Rows of the last report that no part has named so far. */
  readonly #left: Set<string>;

  constructor(private readonly known: ClientReport | undefined) {
    this.#left = new Set(known?.resources.keys());
  }

  reconcile(first: ClientConfigChanged): ClientConfigChanged {
    const { known } = this;
    if (known === undefined || known.side !== first.side) return first;
    for (const row of first.changed) this.#left.delete(resourceKey(row));
    const changed = first.changed.filter((row) => !isSameState(row, known.resources.get(resourceKey(row))));
    return { ...first, changed, removed: isLastPart(first) ? this.#missing(known) : [] };
  }

  #missing({ resources }: ClientReport): ResourceKey[] {
    return [...this.#left].flatMap((key) => {
      const row = resources.get(key);
      return row === undefined ? [] : [{ typeUrl: row.typeUrl, name: row.name }];
    });
  }
}

export function isLastPart({ part }: ClientConfigChanged): boolean {
  return part === undefined || part.number === part.of;
}

/** Equal in everything that the reporter reported; `changedAt` is ours. */
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
    a.nonces?.sent === b.nonces?.sent &&
    a.nonces?.acked === b.nonces?.acked &&
    (a.otherVersions === b.otherVersions ||
      JSON.stringify(a.otherVersions) === JSON.stringify(b.otherVersions))
  );
}
