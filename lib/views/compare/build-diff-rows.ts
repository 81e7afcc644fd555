import type * as z from 'zod';
import { type DiffLine, joinPath, leafLine, movedLine } from '../../diff/diff-lines';
import type { FieldDiff, ItemDiff, ListDiff, ValueDiff } from '../../diff/value-diff';
import type { diffRow } from './schema';

type DiffRow = Readonly<z.infer<typeof diffRow>>;

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  /** True if rows beyond the limit were left out. */
  readonly isCut: boolean;
}

export function buildDiffRows(diff: ValueDiff | null, limit: number): DiffRows {
  const rows: DiffRow[] = [];
  for (const row of walk(diff)) {
    if (rows.length === limit) return { rows, isCut: true };
    rows.push(row);
  }
  return { rows, isCut: false };
}

interface Place {
  readonly depth: number;
  readonly path: string;
  readonly label: string;
  /** The number of equal parts of the joined steps. */
  readonly equal: number;
}

function* walk(diff: ValueDiff | null): Generator<DiffRow, void> {
  if (diff === null) return;
  const top: Place = { depth: 0, path: '', label: '', equal: 0 };
  if (diff.kind !== 'fields') {
    yield* walkValue(diff, top);
    return;
  }
  for (const field of diff.fields) yield* walkValue(field.diff, stepInto(top, field, 0));
}

function stepInto({ label, path, depth, equal }: Place, field: FieldDiff, beside: number): Place {
  return { depth, path: joinPath(path, field), label: joinPath(label, field), equal: equal + beside };
}

function below({ depth, path }: Place): Place {
  return { depth: depth + 1, path, label: '', equal: 0 };
}

function* walkValue(diff: ValueDiff, place: Place): Generator<DiffRow, void> {
  if (diff.kind === 'leaf') {
    yield rowOf(leafLine(diff, place.path), place, diff.totals.changes);
    return;
  }
  if (diff.kind === 'list') {
    yield* walkList(diff, place);
    return;
  }
  const [only, ...others] = diff.fields;
  if (only !== undefined && others.length === 0) {
    yield* walkValue(only.diff, stepInto(place, only, diff.equal));
    return;
  }
  yield inside(place, diff.totals.changes, diff.equal, '');
  for (const field of diff.fields) yield* walkValue(field.diff, stepInto(below(place), field, 0));
}

function* walkList(diff: ListDiff, place: Place): Generator<DiffRow, void> {
  const { items, rule, isReordered, equal, totals } = diff;
  const reason = isReordered ? rule.reason : '';
  const order: DiffLine = { kind: 'order', path: place.path, reason };
  if (isReordered && items.length === 0) {
    yield { ...rowOf(order, place, 0), equal: place.equal + equal };
    return;
  }
  const [only, ...others] = items;
  if (!isReordered && only !== undefined && others.length === 0) {
    yield* walkItem(only, rule.reason, intoItem(place, only, equal));
    return;
  }
  // The order row has the reason.
  yield inside(place, totals.changes, equal, isReordered ? '' : rule.reason);
  if (isReordered) yield { ...rowOf(order, below(place), 0), label: 'order' };
  for (const item of items) yield* walkItem(item, rule.reason, intoItem(below(place), item, 0));
}

function intoItem(place: Place, { label }: ItemDiff, beside: number): Place {
  const step = `[${label}]`;
  return { ...place, path: place.path + step, label: place.label + step, equal: place.equal + beside };
}

function* walkItem(item: ItemDiff, reason: string, place: Place): Generator<DiffRow, void> {
  if (item.isMoved) yield rowOf(movedLine(item, place.path, reason), place, 1);
  if (item.diff !== null) yield* walkValue(item.diff, place);
}

function rowOf({ path, ...line }: DiffLine, { depth, label, equal }: Place, changes: number): DiffRow {
  return { depth, path, label, ...line, changes, equal };
}

function inside(place: Place, changes: number, equal: number, reason: string): DiffRow {
  const { depth, path, label } = place;
  return { depth, path, label, kind: 'inside', changes, equal: equal + place.equal, reason };
}

/** Returns the indexes of the rows that are not below a closed row. */
export function shownRows(
  rows: readonly { readonly depth: number }[],
  closed: ReadonlySet<number>,
): number[] {
  const shown: number[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const [index, { depth }] of rows.entries()) {
    if (depth > hiddenBelow) continue;
    hiddenBelow = closed.has(index) ? depth : Number.POSITIVE_INFINITY;
    shown.push(index);
  }
  return shown;
}
