import type {
  DurationRules,
  EnumRules,
  FieldRules,
  LengthRules,
  NumberRules,
  StringRules,
} from '../constraints';
import { listOf } from '../constraints';
import { durationSeconds } from '../duration';
import type { Field } from '../field';
import { isIpAddress } from '../ip-address';
import type { Report } from '../rule';

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

const headerName = /^:?[0-9a-zA-Z!#$%&'*+\-.^_|~`]+$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const headerValue = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const lenientHeader = /^[^\u0000\u000A\u000D]*$/;

const hostname =
  /^(?=.{1,253}\.?$)([0-9a-zA-Z]([0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?)(\.[0-9a-zA-Z]([0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?)*\.?$/;

/** Validates a string as protoc-gen-validate does. */
function checkText(field: Field, rules: StringRules, report: Report): void {
  const text = field.text;
  if (rules.ignore_empty === true && text === '') return;
  const got = JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
  const say = (expected: string): void => report({ field, expected, got });
  checkLength(text, rules, say);
  const { const: only, prefix, suffix, contains, not_contains: banned, pattern } = rules;
  if (only !== undefined && text !== only) say(JSON.stringify(only));
  if (prefix !== undefined && !text.startsWith(prefix))
    say(`text that starts with ${JSON.stringify(prefix)}`);
  if (suffix !== undefined && !text.endsWith(suffix)) say(`text that ends with ${JSON.stringify(suffix)}`);
  if (contains !== undefined && !text.includes(contains)) say(`text with ${JSON.stringify(contains)} in it`);
  if (banned !== undefined && text.includes(banned)) say(`text without ${JSON.stringify(banned)} in it`);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) say(`text that matches ${pattern}`);
  const allowed = listOf(rules.in);
  if (allowed.length > 0 && !allowed.includes(text))
    say(allowed.map((each) => JSON.stringify(each)).join(', '));
  if (listOf(rules.not_in).includes(text)) say('another text');
  checkFormat(text, rules, say);
}

function checkLength(text: string, rules: StringRules, say: (expected: string) => void): void {
  const {
    len,
    min_len: min = 0,
    max_len: max = Infinity,
    min_bytes: least = 0,
    max_bytes: most = Infinity,
  } = rules;
  // Code points are counted only if the number of UTF-16 units does not decide.
  const runes = text.length > min && text.length <= max && len === undefined ? text.length : [...text].length;
  if (len !== undefined && runes !== len) say(`${len} characters`);
  if (runes < min) say(`at least ${min} ${min === 1 ? 'character' : 'characters'}`);
  if (runes > max) say(`at most ${max} characters`);
  if (least === 0 && most === Infinity) return;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes < least) say(`at least ${least} ${least === 1 ? 'byte' : 'bytes'}`);
  if (bytes > most) say(`at most ${most} bytes`);
}

function checkFormat(text: string, rules: StringRules, say: (expected: string) => void): void {
  if (rules.ip === true && !isIpAddress(text)) say('an IP address');
  if (rules.hostname === true && !hostname.test(text)) say('a host name');
  if (rules.address === true && !isIpAddress(text) && !hostname.test(text))
    say('an IP address or a host name');
  if (rules.uri === true && !URL.canParse(text)) say('an absolute URI');
  if (rules.uri_ref === true && !URL.canParse(text, 'http://base')) say('a URI');
  const regex = headerRegexOf(rules);
  if (regex !== undefined && !regex.test(text))
    say(
      rules.well_known_regex === 'HTTP_HEADER_NAME'
        ? 'the name of an HTTP header'
        : 'the value of an HTTP header',
    );
}

function headerRegexOf({ well_known_regex: known, strict = true }: StringRules): RegExp | undefined {
  if (known === undefined || known === 'UNKNOWN') return undefined;
  if (!strict) return lenientHeader;
  return known === 'HTTP_HEADER_NAME' ? headerName : headerValue;
}
