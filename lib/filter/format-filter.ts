import type { FilterOperator } from './parse-filter';

/** Quotes a value that the grammar would split; an empty value becomes `""`. */
export function quoteFilterValue(value: string): string {
  return value === '' || /\s/.test(value) ? `"${value}"` : value;
}

/** Formats an expression, as in `zone=eu-1`, `agent="gRPC Go"`, `meta."app version"=v2`. */
export function formatCondition(field: string, operator: FilterOperator, value: string): string {
  const key = /\s/.test(field) ? field.replace(/^(meta\.)(.*)$/s, '$1"$2"') : field;
  return `${key}${operator}${quoteFilterValue(value)}`;
}
