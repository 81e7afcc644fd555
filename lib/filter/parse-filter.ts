import { formatMiddleCut } from '../format/middle-cut';

/** `~` and `!~` compare a part of a value, `=` and `!=` the whole value. Case does not matter. */
const filterOperators = ['!=', '!~', '=', '~'] as const;
export type FilterOperator = (typeof filterOperators)[number];

interface FilterField {
  /** The meaning of the compared value, for documents and completion. */
  readonly meaning: string;
  /** All values that `=` and `!=` accept; absent: any value. */
  readonly values?: readonly string[];
  /** Values that completion offers; others are accepted as well. */
  readonly suggestions?: readonly string[];
  /** The value is an age as in 10m; the operator is `=`. */
  readonly isAge?: true;
  /** The operators that the field accepts; absent: all. */
  readonly operators?: readonly FilterOperator[];
  /** Only one value can be compared with `=` or `~`. */
  readonly isSingle?: true;
}

/** The fields of one filter, by name in lower case. */
export interface FilterGrammar<Field extends string = string> {
  readonly fields: Readonly<Record<Field, FilterField>>;
  /** Fields with this prefix and any key, whose case matters, as in meta.version. */
  readonly prefix?: { readonly text: string; readonly meaning: string };
  /** The description of what is expected instead of a word; absent: words are searched. */
  readonly insteadOfWords?: string;
}

export interface FilterCondition<Field extends string = string> {
  readonly field: Field | `meta.${string}`;
  readonly operator: FilterOperator;
  /** The value in lower case. Empty: no value, from `""`. */
  readonly value: string;
  /** Set for an age: the time that it begins at. */
  readonly after?: number;
}

interface FilterProblem {
  /** The position of the part in the text. */
  readonly from: number;
  readonly to: number;
  /** A sentence with the expected and the actual value. */
  readonly message: string;
}

export interface Filter<Field extends string = string> {
  /** The words in lower case. All of them must occur in the name. */
  readonly words: readonly string[];
  readonly conditions: readonly FilterCondition<Field>[];
  /** Parts that cannot be parsed; they do not filter. */
  readonly problems: readonly FilterProblem[];
}

const mostFilterChars = 4_096;
/** Limits the words and conditions, each of which is compared with every item. */
const mostFilterParts = 30;
const ageStepMs = 5_000;
const tokenPattern = /(?:"[^"]*"?|[^\s"])+/g;
const expressionPattern = /^([a-z]+|meta\.(?:"[^"]*"|[^=!~"])*?)(!=|!~|=|~)(.*)$/is;

/** The parts of a filter, which spaces outside quotes separate. */
export function* partsOfFilter(text: string): Generator<{ readonly part: string; readonly from: number }> {
  for (const { 0: part, index } of text.matchAll(tokenPattern)) yield { part, from: index };
}

/** Splits an expression into its field as written, operator and raw value; undefined for a word. */
export function splitExpression(part: string) {
  const [, key, operator, value = ''] = expressionPattern.exec(part) ?? [];
  if (key === undefined) return undefined;
  return { key, operator: operator as FilterOperator, value };
}

/**
 * Parses a filter of words and expressions that must all hold: `type=CDS name~"cart" status=NACKED since=10m`. Quotes
 * preserve spaces and make a word of an expression. Errors are data, with their positions. Ages end at `now`, rounded so that
 * an answer can be used again for some seconds.
 */
export function parseFilter<Field extends string>(
  text: string,
  grammar: FilterGrammar<Field>,
  now = 0,
): Filter<Field> {
  const words: string[] = [];
  const conditions: FilterCondition<Field>[] = [];
  const problems: FilterProblem[] = [];
  let parts = 0;
  for (const { part, from } of partsOfFilter(text.slice(0, mostFilterChars))) {
    const to = from + part.length;
    parts += 1;
    if (parts > mostFilterParts) {
      problems.push({
        from,
        to: text.length,
        message: `expected at most ${mostFilterParts} parts, got more`,
      });
      break;
    }
    const expression = splitExpression(part);
    if (expression === undefined) {
      const word = unquote(part).toLowerCase();
      if (word !== '' && grammar.insteadOfWords !== undefined) {
        problems.push({ from, to, message: `expected ${grammar.insteadOfWords}` });
      } else if (word !== '') words.push(word);
      continue;
    }
    const condition = parseCondition(grammar, expression, now);
    if (typeof condition === 'string') problems.push({ from, to, message: condition });
    else if (isRepeated(grammar, condition, conditions)) {
      problems.push({ from, to, message: `expected one ${condition.field}, got another` });
    } else conditions.push(condition);
  }
  if (text.length > mostFilterChars) {
    const message = `expected at most ${mostFilterChars} characters, got ${text.length}`;
    problems.push({ from: mostFilterChars, to: text.length, message });
  }
  return { words, conditions, problems };
}

/** "stat=NACKED at character 1: no filter is called "stat": expected ..." */
export function formatFilterProblem(text: string, { from, to, message }: FilterProblem): string {
  return `${formatMiddleCut(text.slice(from, to), 40)} at character ${from + 1}: ${message}`;
}

/** Returns the name of the field in conditions, or undefined if the grammar has no such field. */
export function findField<Field extends string>(
  { fields, prefix }: FilterGrammar<Field>,
  key: string,
): FilterCondition<Field>['field'] | undefined {
  const name = unquote(key);
  if (prefix !== undefined && name.startsWith(prefix.text) && name.length > prefix.text.length) {
    return name as `meta.${string}`;
  }
  const lower = name.toLowerCase();
  return Object.hasOwn(fields, lower) ? (lower as Field) : undefined;
}

/** Returns the problem if there is one. */
function parseCondition<Field extends string>(
  grammar: FilterGrammar<Field>,
  { key, operator, value: raw }: NonNullable<ReturnType<typeof splitExpression>>,
  now: number,
): FilterCondition<Field> | string {
  const field = findField(grammar, key);
  if (field === undefined) {
    const names = [...Object.keys(grammar.fields), ...(grammar.prefix ? [`${grammar.prefix.text}KEY`] : [])];
    return `no filter is called "${unquote(key)}": expected ${formatChoices(names)}`;
  }
  const isNothing = raw === '""';
  const value = unquote(raw);
  const isPart = operator.endsWith('~');
  if (value === '' && (!isNothing || isPart)) return 'expected a value, got none';
  const { values, isAge, operators } = Object.hasOwn(grammar.fields, field)
    ? grammar.fields[field as Field]
    : ({} as FilterField);
  if (operators?.includes(operator) === false) {
    const expected = formatChoices(operators.map((each) => `${field}${each}`));
    return `expected ${expected}, got ${field}${operator}`;
  }
  if (isAge) {
    if (operator !== '=') return `expected ${field}=, got ${field}${operator}`;
    const age = parseAge(value);
    if (age === undefined) return `expected an age, as in 10m, 2h or 1d, got "${value}"`;
    return { field, operator, value: value.toLowerCase(), after: now - (now % ageStepMs) - age };
  }
  const wanted = value.toLowerCase();
  if (!isPart && wanted !== '' && values?.some((one) => one.toLowerCase() === wanted) === false) {
    return `expected ${formatChoices(values)}, got "${value}"`;
  }
  return { field, operator, value: wanted };
}

function isRepeated<Field extends string>(
  { fields }: FilterGrammar<Field>,
  { field, operator }: FilterCondition<Field>,
  before: readonly FilterCondition<Field>[],
): boolean {
  const isSingle = Object.hasOwn(fields, field) && fields[field as Field].isSingle === true;
  return (
    isSingle &&
    !operator.startsWith('!') &&
    before.some((each) => each.field === field && !each.operator.startsWith('!'))
  );
}

function formatChoices(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

export function unquote(text: string): string {
  return text.replaceAll('"', '');
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Parses an age of one or several units, as in "10m" or "1h30m", to milliseconds; undefined for other texts. */
function parseAge(text: string): number | undefined {
  if (!/^(?:\d{1,6}[smhdw])+$/i.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)([smhdw])/gi)) {
    total += Number(count) * (unitMs[unit.toLowerCase()] ?? 0);
  }
  return total;
}
