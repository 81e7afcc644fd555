import { formatCount } from '../../format/count';
import { fleetTerm } from './fleet-term';

interface Counts {
  readonly field: string;
  readonly value: string;
  readonly inside: number;
  readonly insideOf: number;
  readonly outside: number;
  readonly outsideOf: number;
}

/** "3 of 3 have zone=eu-1c; 1,590 of 4,780 of the others do". */
export function describeSeparator({ field, value, inside, insideOf, outside, outsideOf }: Counts): string {
  const have = insideOf === 1 ? 'it has' : `${formatCount(inside)} of ${formatCount(insideOf)} have`;
  return `${have} ${field}=${value}; ${formatCount(outside)} of ${formatCount(outsideOf)} others do`;
}

/** A filter that leaves who has it. */
export function separatorFilter({ field, value }: Pick<Counts, 'field' | 'value'>): string {
  return fleetTerm(field, value);
}
