import { quoteFilterValue } from './format-filter';
import {
  type FilterGrammar,
  type FilterOperator,
  findField,
  partsOfFilter,
  splitExpression,
  unquote,
} from './parse-filter';

export interface FilterCompletion {
  /** Replaces the text between `from` and `to`. */
  readonly insert: string;
  readonly label: string;
  readonly meaning: string;
  readonly kind: 'field' | 'operator' | 'value';
}

interface FilterCompletions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly FilterCompletion[];
}

export interface CompletionOptions {
  /** Known values of a field that accepts any value. */
  readonly valuesOf?: (field: string) => readonly string[];
  /** Known keys of the prefix. */
  readonly keys?: readonly string[];
}

const mostCompletions = 12;
const ages = ['5m', '10m', '1h', '24h', '7d'];
const operatorMeanings: readonly (readonly [FilterOperator, string])[] = [
  ['=', 'is'],
  ['!=', 'is not'],
  ['~', 'contains'],
];

/** Completes the part of the filter that ends at the caret: a field, then its operator, then its value. */
export function completeFilter(
  text: string,
  caret: number,
  grammar: FilterGrammar,
  { valuesOf = () => [], keys = [] }: CompletionOptions = {},
): FilterCompletions {
  const { part, from } = findPart(text, caret);
  const typed = part.slice(0, caret - from);
  const to = from + part.length;
  const expression = splitExpression(typed);
  if (expression === undefined) {
    const field = findField(grammar, typed);
    const operators = field === typed ? operatorsOf(grammar, field) : [];
    const longer = fieldsOf(grammar, typed, keys).filter(({ label }) => label !== typed);
    const isDeclared = Object.hasOwn(grammar.fields, typed);
    const items = isDeclared ? [...operators, ...longer] : [...longer, ...operators];
    return { from, to, items: items.slice(0, mostCompletions) };
  }
  const { key, operator, value } = expression;
  const field = findField(grammar, key);
  if (field === undefined) return { from, to, items: [] };
  const { values, suggestions, isAge } = Object.hasOwn(grammar.fields, field)
    ? (grammar.fields[field] ?? {})
    : {};
  const known = values ?? suggestions ?? (isAge ? ages : valuesOf(field));
  const wanted = unquote(value).toLowerCase();
  const items = known
    .filter((one) => !one.includes('"') && one.toLowerCase().includes(wanted) && one.toLowerCase() !== wanted)
    .map((one) => ({
      insert: `${key}${operator}${quoteFilterValue(one)} `,
      label: one,
      meaning: '',
      kind: 'value' as const,
    }));
  return { from, to, items: items.slice(0, mostCompletions) };
}

/** Returns the part that contains the caret or ends there; an empty part between spaces. */
function findPart(text: string, caret: number): { readonly part: string; readonly from: number } {
  for (const found of partsOfFilter(text)) {
    if (found.from <= caret && caret <= found.from + found.part.length) return found;
  }
  return { part: '', from: caret };
}

function fieldsOf(
  { fields, prefix }: FilterGrammar,
  typed: string,
  keys: readonly string[],
): FilterCompletion[] {
  const start = typed.toLowerCase();
  const named = Object.entries(fields).map(([name, { meaning, isAge, values, suggestions }]) => ({
    insert: `${name}${isAge || values !== undefined || suggestions !== undefined ? '=' : ''}`,
    label: name,
    meaning,
    kind: 'field' as const,
  }));
  const prefixed =
    prefix === undefined
      ? []
      : ['', ...keys].map((key) => ({
          insert: prefix.text + (/\s/.test(key) ? `"${key}"` : key),
          label: prefix.text + key,
          meaning: prefix.meaning,
          kind: 'field' as const,
        }));
  return [...named, ...prefixed].filter(({ label }) => label.startsWith(start));
}

function operatorsOf({ fields }: FilterGrammar, field: string): FilterCompletion[] {
  const { isAge, operators } = (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? {};
  return operatorMeanings
    .filter(([operator]) => (isAge ? operator === '=' : (operators?.includes(operator) ?? true)))
    .map(([operator, meaning]) => ({
      insert: `${field}${operator}`,
      label: `${field}${operator}`,
      meaning,
      kind: 'operator',
    }));
}
