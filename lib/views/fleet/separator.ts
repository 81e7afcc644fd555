import type * as z from 'zod';
import { formatCondition } from '../../filter/format-filter';
import type { FleetField } from '../../fleet/fleet-fields';
import { formatCount } from '../../format/count';
import type { separator as separatorSchema } from './schema';

type SeparatorJson = z.infer<typeof separatorSchema>;
type Counts = Omit<SeparatorJson, 'chance' | 'isWeak'>;

/** A value that the odd clients have more often than the others. `isWeak`: by Bonferroni, at 5%. */
export interface Separator extends Readonly<SeparatorJson> {
  readonly field: FleetField;
  /** A second value, if only both together separate the clients. */
  readonly and: { readonly field: FleetField; readonly value: string } | undefined;
}

/** "3 of 3 have zone=eu-1c and agent=go; 1,590 of 4,780 others do". */
export function describeSeparator(separator: Counts): string {
  const { field, value, and, inside, insideOf, outside, outsideOf } = separator;
  const have = insideOf === 1 ? 'it has' : `${formatCount(inside)} of ${formatCount(insideOf)} have`;
  const also = and === undefined ? '' : ` and ${and.field}=${and.value}`;
  return `${have} ${field}=${value}${also}; ${formatCount(outside)} of ${formatCount(outsideOf)} others do`;
}

export function separatorFilter({ field, value, and }: Pick<Counts, 'field' | 'value' | 'and'>): string {
  return [{ field, value }, ...(and === undefined ? [] : [and])]
    .map((each) => formatCondition(each.field, '=', each.value))
    .join(' ');
}
