import type { FleetField } from '../../fleet/fleet-fields';
import { formatCount } from '../../format/count';

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

/** `zone=eu-1`, `agent="gRPC Go"`; `zone=""` for which source reports none: what parseFleetFilter() reads. */
export function fleetTerm(field: string, value: string): string {
  const key = /\s/.test(field) ? field.replace(/^(meta\.)(.*)$/s, '$1"$2"') : field;
  return `${key}=${value === '' || /\s/.test(value) ? `"${value}"` : value}`;
}

interface Counts {
  readonly field: string;
  readonly value: string;
  readonly and: { readonly field: string; readonly value: string } | null;
  readonly inside: number;
  readonly insideOf: number;
  readonly outside: number;
  readonly outsideOf: number;
}

/** "3 of 3 have zone=eu-1c and agent=go; 1,590 of 4,780 others do". */
export function describeSeparator({
  field,
  value,
  and,
  inside,
  insideOf,
  outside,
  outsideOf,
}: Counts): string {
  const have = insideOf === 1 ? 'it has' : `${formatCount(inside)} of ${formatCount(insideOf)} have`;
  const also = and === null ? '' : ` and ${and.field}=${and.value}`;
  return `${have} ${field}=${value}${also}; ${formatCount(outside)} of ${formatCount(outsideOf)} others do`;
}

/** A filter that leaves who has it. */
export function separatorFilter({ field, value, and }: Pick<Counts, 'field' | 'value' | 'and'>): string {
  return [{ field, value }, ...(and === null ? [] : [and])]
    .map((each) => fleetTerm(each.field, each.value))
    .join(' ');
}
