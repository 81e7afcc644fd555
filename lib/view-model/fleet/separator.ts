import { formatCondition } from '../../filter/format-filter';
import type { FleetField } from '../../fleet/fleet-fields';
import { formatCount } from '../../format/count';

/** A value that the odd clients have more often than the others. */
export interface Separator {
  readonly field: FleetField;
  readonly value: string;
  /** A second value, if only both together separate the clients. */
  readonly and: { readonly field: FleetField; readonly value: string } | null;
  /** The number of odd clients with the value, and of all odd clients. */
  readonly inside: number;
  readonly insideOf: number;
  /** The number of other clients with the value, and of all other clients. */
  readonly outside: number;
  readonly outsideOf: number;
  /** The chance that at least as many clients of a random group have the value (Fisher's exact test, one-sided); 0 to 1. */
  readonly chance: number;
  /** Whether a chance this small is likely among the number of compared values (Bonferroni, 5%). */
  readonly isWeak: boolean;
}

interface Counts extends Omit<Separator, 'field' | 'chance' | 'isWeak' | 'and'> {
  readonly field: string;
  readonly and: { readonly field: string; readonly value: string } | null;
}

/** "3 of 3 have zone=eu-1c and agent=go; 1,590 of 4,780 others do". */
export function describeSeparator(separator: Counts): string {
  const { field, value, and, inside, insideOf, outside, outsideOf } = separator;
  const have = insideOf === 1 ? 'it has' : `${formatCount(inside)} of ${formatCount(insideOf)} have`;
  const also = and === null ? '' : ` and ${and.field}=${and.value}`;
  return `${have} ${field}=${value}${also}; ${formatCount(outside)} of ${formatCount(outsideOf)} others do`;
}

export function separatorFilter({ field, value, and }: Pick<Counts, 'field' | 'value' | 'and'>): string {
  return [{ field, value }, ...(and === null ? [] : [and])]
    .map((each) => formatCondition(each.field, '=', each.value))
    .join(' ');
}
