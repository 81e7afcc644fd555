import type { FilterCondition, FilterOperator } from './parse-filter';

export function isNegated(operator: FilterOperator): boolean {
  return operator.startsWith('!');
}

/** Compares one value, for a negated operator like for its opposite: the caller negates the result for all values. */
export function comparison({
  operator,
  value,
}: Pick<FilterCondition, 'operator' | 'value'>): (candidate: string) => boolean {
  if (operator.endsWith('~')) return (candidate) => candidate.toLowerCase().includes(value);
  return (candidate) => candidate.toLowerCase() === value;
}

/**
 * Returns true if the values of an item fulfil a condition: one of them must, or none if the operator is negated, so
 * that `status!=NACKED` means that nothing is NACKED. `=""` means that there is no value.
 */
export function holds(
  condition: Pick<FilterCondition, 'operator' | 'value'>,
  values: readonly string[],
): boolean {
  const found =
    condition.value === '' ? values.every((value) => value === '') : values.some(comparison(condition));
  return isNegated(condition.operator) ? !found : found;
}

/** Returns true if a time is within the age of the condition; an unknown time is not. */
export function isSince({ after }: Pick<FilterCondition, 'after'>, at: number | null): boolean {
  return at !== null && after !== undefined && at >= after;
}
