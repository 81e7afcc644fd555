import {
  type DurationRules,
  type EnumRules,
  type FieldRules,
  type LengthRules,
  listOf,
  type NumberRules,
} from '../constraints';
import { durationSeconds } from '../duration';
import type { Field } from '../field';
import type { Report } from '../rule';
import { checkText } from './check-text';

export function checkValue(
  field: Field,
  rules: FieldRules,
  enumValues: Readonly<Record<string, number>> | undefined,
  report: Report,
): void {
  if (rules.string !== undefined) checkText(field, rules.string, report);
  if (rules.bytes !== undefined) checkBytes(field, rules.bytes, report);
  if (rules.enum !== undefined) checkEnum(field, rules.enum, enumValues ?? {}, report);
  if (rules.duration !== undefined) checkDuration(field, rules.duration, report);
  if (rules.bool?.const !== undefined && field.isTrue !== rules.bool.const)
    report({ field, expected: String(rules.bool.const) });
  if (rules.any !== undefined) checkAny(field, rules.any, report);
  const numbers =
    rules.uint32 ?? rules.uint64 ?? rules.int32 ?? rules.int64 ?? rules.double ?? rules.float ?? undefined;
  if (numbers !== undefined) checkNumber(field, numbers, report);
}

function checkNumber(field: Field, rules: NumberRules, report: Report): void {
  const value = field.numberOr(0);
  if (rules.ignore_empty === true && value === 0) return;
  const got = field.exists ? field.show() : '0';
  const { gt, gte, lt, lte } = rules;
  if (rules.const !== undefined && value !== rules.const)
    report({ field, expected: String(rules.const), got });
  if (gt !== undefined && !(value > gt)) report({ field, expected: `a number > ${gt}`, got });
  if (gte !== undefined && !(value >= gte)) report({ field, expected: `a number >= ${gte}`, got });
  if (lt !== undefined && !(value < lt)) report({ field, expected: `a number < ${lt}`, got });
  if (lte !== undefined && !(value <= lte)) report({ field, expected: `a number <= ${lte}`, got });
  const allowed = listOf(rules.in);
  if (allowed.length > 0 && !allowed.includes(value)) report({ field, expected: allowed.join(', '), got });
  const banned = listOf(rules.not_in);
  if (banned.includes(value)) report({ field, expected: `not ${banned.join(', ')}`, got });
}

function checkEnum(
  field: Field,
  rules: EnumRules,
  values: Readonly<Record<string, number>>,
  report: Report,
): void {
  const isName = Object.hasOwn(values, field.text);
  const number = isName ? (values[field.text] ?? 0) : field.numberOr(0);
  const isDefined = Object.values(values).includes(number);
  const got = field.exists ? field.show() : nameOf(values, 0);
  if (rules.defined_only === true && !isDefined)
    report({ field, expected: Object.keys(values).join(', '), got });
  const allowed = listOf(rules.in);
  const banned = listOf(rules.not_in);
  const isBad = (allowed.length > 0 && !allowed.includes(number)) || banned.includes(number);
  const left = Object.entries(values).filter(
    ([, value]) => !banned.includes(value) && (allowed.length === 0 || allowed.includes(value)),
  );
  if (isBad || (rules.const !== undefined && number !== rules.const))
    report({ field, expected: left.map(([name]) => name).join(', '), got });
}

function nameOf(values: Readonly<Record<string, number>>, number: number): string {
  return Object.entries(values).find(([, value]) => value === number)?.[0] ?? String(number);
}

function checkDuration(field: Field, rules: DurationRules, report: Report): void {
  const value = durationSeconds(field);
  const limits: [limit: DurationRules['gt'], text: string, isKept: (limit: number) => boolean][] = [
    [rules.gt, 'a duration >', (limit) => value > limit],
    [rules.gte, 'a duration >=', (limit) => value >= limit],
    [rules.lt, 'a duration <', (limit) => value < limit],
    [rules.lte, 'a duration <=', (limit) => value <= limit],
  ];
  for (const [limit, text, isKept] of limits) {
    if (limit === undefined) continue;
    const seconds = (limit.seconds ?? 0) + (limit.nanos ?? 0) / 1e9;
    if (!isKept(seconds)) report({ field, expected: `${text} ${seconds}s` });
  }
}

function checkAny(field: Field, rules: NonNullable<FieldRules['any']>, report: Report): void {
  const url = field.at('@type').text;
  const allowed = listOf(rules.in);
  if (allowed.length > 0 && !allowed.includes(url)) report({ field, expected: allowed.join(', '), got: url });
  if (listOf(rules.not_in).includes(url)) report({ field, expected: 'another type', got: url });
}

/** The value is base64. A redaction marker has no information about the length of the redacted value. */
function checkBytes(field: Field, rules: LengthRules, report: Report): void {
  const text = field.text;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return;
  const length = Math.floor((text.replace(/=+$/, '').length * 3) / 4);
  if (rules.ignore_empty === true && length === 0) return;
  const got = `${length} bytes`;
  if (length < (rules.min_len ?? 0)) report({ field, expected: `at least ${rules.min_len} bytes`, got });
  if (length > (rules.max_len ?? Infinity))
    report({ field, expected: `at most ${rules.max_len} bytes`, got });
}
