import { type ClientReport, resourceKey } from './client-state';
import type { ClientConfigChanged } from './observation';
import type { ResourceKey, ResourceState } from './resource-state';

/**
 * Turns the first, complete report of a poller after its start into a difference to the report in the log: unchanged
 * rows keep the time of their last change, and rows that are no longer reported are removed. Parts of a report are
 * handled one by one, each before the next one is folded; removals come with the last.
 */
export class FirstReport {
  readonly #known: ClientReport | undefined;

  /** Rows of the previous report that no part has named so far. */
  readonly #left: Set<string>;

  constructor(known: ClientReport | undefined) {
    this.#known = known;
    this.#left = new Set(known?.resources.keys());
  }

  reconcile(first: ClientConfigChanged): ClientConfigChanged {
    const known = this.#known;
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

/** Returns true if two rows are equal apart from `changedAt`, which xdscope sets. */
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
    a.errorState?.statistic === b.errorState?.statistic &&
    a.errorState?.successes === b.errorState?.successes &&
    a.stage === b.stage &&
    a.unanswered?.at === b.unanswered?.at &&
    a.doubt === b.doubt &&
    a.nonces?.sent === b.nonces?.sent &&
    a.nonces?.acked === b.nonces?.acked &&
    isSameValue(a.otherVersions, b.otherVersions) &&
    isSameValue(a.waitsFor, b.waitsFor)
  );
}

function isSameValue(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
