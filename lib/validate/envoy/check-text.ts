import { listOf, type StringRules } from '../constraints';
import type { Field } from '../field';
import { isIpAddress } from '../ip-address';
import type { Report } from '../rule';

const headerName = /^:?[0-9a-zA-Z!#$%&'*+\-.^_|~`]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const headerValue = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
const lenientHeader = /^[^\u0000\u000A\u000D]*$/;
const hostname =
  /^(?=.{1,253}\.?$)([0-9a-zA-Z]([0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?)(\.[0-9a-zA-Z]([0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?)*\.?$/;

/** Validates a string as protoc-gen-validate does. */
export function checkText(field: Field, rules: StringRules, report: Report): void {
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
