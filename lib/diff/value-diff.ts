import type { ListRule } from './list-rule';

export interface DiffTotals {
  readonly changes: number;
  /** Lists whose order differs but does not matter. */
  readonly reordered: number;
  /** Values that are written differently but mean the same, as a default that is written out. */
  readonly notation: number;
}

/** A changed value. `before` or `after` is absent if the value is absent on that side. */
export interface LeafDiff {
  readonly kind: 'leaf';
  readonly before?: unknown;
  readonly after?: unknown;
  /** The value that absence means. Absent if absence is a state of its own. */
  readonly absent?: unknown;
  /** True if both sides mean the same. */
  readonly isNotation: boolean;
  /** The reason why they mean the same, or what a reader needs to know; may be empty. */
  readonly reason: string;
  readonly totals: DiffTotals;
}

export interface FieldDiff {
  readonly name: string;
  /** The key on the left of a map's entry, if it is a former name of this one. */
  readonly formerly?: string;
  readonly diff: ValueDiff;
}

/** A message, a map or an object of plain JSON. */
export interface FieldsDiff {
  readonly kind: 'fields';
  readonly fields: readonly FieldDiff[];
  readonly equal: number;
  readonly totals: DiffTotals;
}

export interface ItemDiff {
  /** The index on each side; null if the element is absent. */
  readonly left: number | null;
  readonly right: number | null;
  /** The key or index of the element, for people. */
  readonly label: string;
  /** True if its place changed and the order matters. */
  readonly isMoved: boolean;
  /** null if only the place differs. */
  readonly diff: ValueDiff | null;
}

export interface ListDiff {
  readonly kind: 'list';
  readonly items: readonly ItemDiff[];
  /** The number of equal elements that did not move. */
  readonly equal: number;
  readonly leftLength: number;
  readonly rightLength: number;
  /** The index on the left, by index on the right; -1 for added elements; null if no index changed. */
  readonly order: readonly number[] | null;
  readonly isReordered: boolean;
  readonly rule: ListRule;
  readonly totals: DiffTotals;
}

export type ValueDiff = LeafDiff | FieldsDiff | ListDiff;
