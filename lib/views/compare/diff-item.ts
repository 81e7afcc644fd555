import type { DiffItemKind } from '../../diff/diff-item-kind';
import type { DiffLine } from '../../diff/diff-lines';
import type { DiffTotals } from '../../diff/value-diff';
import type { ResourceRow } from '../../observation/resource-row';
import type { RowChange } from '../changes/build-changes';

export interface BodyOutcome {
  readonly totals: DiffTotals;
  /** The first lines. */
  readonly lines: readonly DiffLine[];
}

export interface DiffItem {
  readonly kind: DiffItemKind;
  readonly left: ResourceRow | undefined;
  readonly right: ResourceRow | undefined;
  /** null if no bodies were compared. */
  readonly outcome: BodyOutcome | null;
}

export function hasTwoBodies({ before, after }: RowChange): boolean {
  return typeof before?.hash === 'string' && typeof after?.hash === 'string' && before.hash !== after.hash;
}

/**
 * Classifies a change. `outcome` is null if bodies were not compared. `comparesStatus` is true if both sides are of one kind,
 * so that their statuses are comparable. Returns undefined if there is no difference.
 */
export function classifyChange(
  change: RowChange,
  outcome: BodyOutcome | null,
  comparesStatus: boolean,
): DiffItem | undefined {
  const kind = kindOf(change, outcome, comparesStatus);
  return kind && { kind, left: change.before, right: change.after, outcome };
}

function kindOf(
  change: RowChange,
  outcome: BodyOutcome | null,
  comparesStatus: boolean,
): DiffItemKind | undefined {
  const { before, after, differs } = change;
  const [left, right] = [before?.hash ?? null, after?.hash ?? null];
  if (left === null && right !== null) return 'added';
  if (left !== null && right === null) return 'removed';
  if (hasTwoBodies(change)) {
    if (outcome === null) return 'unread';
    if (outcome.totals.changes > 0) return 'changed';
  }
  // One side reports the resource, without a body.
  if (before === undefined || after === undefined) return comparesStatus ? 'status' : undefined;
  if (comparesStatus && (statusOf(before) !== statusOf(after) || differs.includes('error'))) return 'status';
  if (outcome !== null) return outcome.totals.reordered > 0 ? 'order' : 'notation';
  return before.versionInfo === after.versionInfo ? undefined : 'version';
}

function statusOf({ side, state, configStatus }: ResourceRow): string | null {
  if (side === 'control-plane') return configStatus;
  // The states differ in the interface of the client alone.
  return state === 'ACTIVE' ? 'ACKED' : state;
}

/** Returns true if a comparison lists the item without the filter for versions. */
export function isListed({ kind }: Pick<DiffItem, 'kind'>): boolean {
  return kind !== 'version';
}
