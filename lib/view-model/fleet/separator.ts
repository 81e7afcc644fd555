import type { FleetField } from '../../fleet/fleet-fields';

/** One value that some clients have more often than others have it. */
export interface Separator {
  readonly field: FleetField;
  readonly value: string;
  /** What they have besides: only both together set them apart so far. null: the one is enough. */
  readonly and: { readonly field: FleetField; readonly value: string } | null;
  /** How many of the odd ones have it, of how many. */
  readonly inside: number;
  readonly insideOf: number;
  /** How many of the others have it, of how many. */
  readonly outside: number;
  readonly outsideOf: number;
  /** How likely so many of the odd ones have it if they were drawn by lot (Fisher's exact test, one-sided); 0 to 1. */
  readonly chance: number;
  /** So much would be found by accident among as many values as were looked at (Bonferroni, 5 %). */
  readonly isWeak: boolean;
}
