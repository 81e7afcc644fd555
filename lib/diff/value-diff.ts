import type { ListRule } from './list-rule';

/** How many there are in a part of a diff. */
export interface DiffTotals {
  /** Lines of what really differs. */
  readonly changes: number;
  /** Lists whose elements stand in another order that means nothing. */
  readonly reordered: number;
  /** What is written in another way and means the same: a default that is written out. */
  readonly notation: number;
}

/** One value in the place of another. On a side where it is not there the property is not there either. */
export interface LeafDiff {
  readonly kind: 'leaf';
  readonly before?: unknown;
  readonly after?: unknown;
  /** What it means that the value is not there; not there: that is a state of its own, no zero. */
  readonly absent?: unknown;
  /** Both mean the same. */
  readonly isNotation: boolean;
  /** Why they do, or what is to be known; may be empty. */
  readonly reason: string;
  readonly totals: DiffTotals;
}

export interface FieldDiff {
  readonly name: string;
  /** Of a map's entry that has another key on the left, which means the same; not there: the same key. */
  readonly formerly?: string;
  readonly diff: ValueDiff;
}

/** A message, a map or an object of plain JSON. */
export interface FieldsDiff {
  readonly kind: 'fields';
  readonly fields: readonly FieldDiff[];
  /** Fields that are the same. */
  readonly equal: number;
  readonly totals: DiffTotals;
}

export interface ItemDiff {
  /** Place on each side; null: it is not there. */
  readonly left: number | null;
  readonly right: number | null;
  /** What it is known by, for people. */
  readonly label: string;
  /** Its place changed, where places have a meaning. */
  readonly isMoved: boolean;
  /** null: nothing but its place. */
  readonly diff: ValueDiff | null;
}

export interface ListDiff {
  readonly kind: 'list';
  readonly items: readonly ItemDiff[];
  /** Elements that are the same, at their places. */
  readonly equal: number;
  readonly leftLength: number;
  readonly rightLength: number;
  /** By place on the right the place on the left, -1 of what was added; null: each is where it was. */
  readonly order: readonly number[] | null;
  readonly isReordered: boolean;
  readonly rule: ListRule;
  readonly totals: DiffTotals;
}

/** What differs between two values; where nothing does there is none (null). */
export type ValueDiff = LeafDiff | FieldsDiff | ListDiff;
