import type { DiffItemKind } from '../../diff/diff-item-kind';
import type { DiffLine } from '../../diff/diff-lines';
import type { DiffTotals } from '../../diff/value-diff';
import type { ResourceRow } from '../../observation/resource-row';
import type { RowChange } from '../changes/build-changes';

/** Of two bodies: how much differs, and the first of it. */
export interface BodyOutcome {
  readonly totals: DiffTotals;
  /** At most a few. */
  readonly lines: readonly DiffLine[];
}

export interface DiffItem {
  readonly kind: DiffItemKind;
  readonly left: ResourceRow | null;
  readonly right: ResourceRow | null;
  /** null: no two bodies were compared. */
  readonly outcome: BodyOutcome | null;
}

/** Both sides have a body, and they are not the same. */
export function hasTwoBodies({ before, after }: RowChange): boolean {
  return typeof before?.hash === 'string' && typeof after?.hash === 'string' && before.hash !== after.hash;
}

/**
 * `outcome`: of the two bodies; null: not compared. `comparesStatus`: both sides are of one kind, so that a status can be
 * held against the other. undefined: nothing that counts differs.
 */
export function validateChange(
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
  // Named on one side alone, and no body on either.
  if (before === null || after === null) return comparesStatus ? 'status' : undefined;
  if (comparesStatus && (wordOf(before) !== wordOf(after) || differs.includes('error'))) return 'status';
  if (outcome !== null) return outcome.totals.reordered > 0 ? 'order' : 'notation';
  return before.versionInfo === after.versionInfo ? undefined : 'version';
}

/** Of one who speaks for itself; that another one says something beside it on one side alone is no difference. */
function wordOf({ side, clientStatus, configStatus }: ResourceRow): string {
  return side === 'client' ? clientStatus : configStatus;
}

/** Whether a comparison lists it unless versions are asked for. */
export function isListed({ kind }: Pick<DiffItem, 'kind'>): boolean {
  return kind !== 'version';
}
