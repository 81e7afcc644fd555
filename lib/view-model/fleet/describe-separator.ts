import { formatCount } from '../../format/count';
import { fleetTerm } from './fleet-term';

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
