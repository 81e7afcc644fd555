import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { type ChangedFact, type ChangeKind, changedFacts } from '../../diff/change-kind';
import { compareResourceKeys } from '../../observation/compare-resource-keys';
import type { ResourceRow } from '../../observation/resource-row';

export interface RowChange {
  readonly kind: ChangeKind;
  /** null for added resources. */
  readonly before: ResourceRow | undefined;
  /** null for removed resources. */
  readonly after: ResourceRow | undefined;
  /** Empty unless `kind` is "changed". */
  readonly differs: readonly ChangedFact[];
}

/** The changes in the order of the rows. */
interface RowChanges {
  readonly changes: readonly RowChange[];
  readonly unchanged: number;
}

/**
 * Compares two lists of one client's rows, in the order of buildResourceRows(). A row that was reported again with equal facts is
 * unchanged.
 */
export function* buildChanges(
  before: readonly ResourceRow[],
  after: readonly ResourceRow[],
): Steps<RowChanges> {
  const changes: RowChange[] = [];
  let [a, b, unchanged, seen] = [0, 0, 0, 0];
  while (a < before.length || b < after.length) {
    const [old, now] = [before[a], after[b]];
    const order = old === undefined ? 1 : now === undefined ? -1 : compareResourceKeys(old, now);
    if (order < 0) changes.push({ kind: 'removed', before: old, after: undefined, differs: [] });
    else if (order > 0) changes.push({ kind: 'added', before: undefined, after: now, differs: [] });
    else if (old !== undefined && now !== undefined) {
      // Most rows are identical, which is fast to find.
      if (old === now || isSameRow(old, now)) unchanged += 1;
      else changes.push({ kind: 'changed', before: old, after: now, differs: differenceOf(old, now) });
    }
    if (order <= 0) a += 1;
    if (order >= 0) b += 1;
    seen += 1;
    if (seen % itemsPerStep === 0) yield;
  }
  return { changes, unchanged };
}

export function isVersionOnly({ differs }: Pick<RowChange, 'differs'>): boolean {
  return differs.length === 1 && differs[0] === 'version';
}

function isSameRow(old: ResourceRow, now: ResourceRow): boolean {
  return !changedFacts.some((fact) => isOther[fact](old, now));
}

export function differenceOf(old: ResourceRow, now: ResourceRow): ChangedFact[] {
  return changedFacts.filter((fact) => isOther[fact](old, now));
}

const isOther: Readonly<Record<ChangedFact, (old: ResourceRow, now: ResourceRow) => boolean>> = {
  content: (old, now) => old.hash !== now.hash,
  version: (old, now) =>
    old.versionInfo !== now.versionInfo || old.controlPlane?.versionInfo !== now.controlPlane?.versionInfo,
  status: (old, now) => old.state !== now.state || old.configStatus !== now.configStatus,
  error: isOtherError,
  'control plane': (old, now) => old.controlPlane?.hash !== now.controlPlane?.hash,
};

/** The time of the last attempt does not count. */
function isOtherError(old: ResourceRow, now: ResourceRow): boolean {
  const [a, b] = [old.errorState, now.errorState];
  if (old.ambientError?.details !== now.ambientError?.details) return true;
  if (a === null || b === null) return a !== b;
  return a.details !== b.details || a.versionInfo !== b.versionInfo || a.failedHash !== b.failedHash;
}
