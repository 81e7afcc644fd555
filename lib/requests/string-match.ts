import type { FieldReader } from '../model/field-reader';
import { matchesRe2 } from '../validate/re2';

/** The result of a text matcher for one value. */
export type TextMatch =
  | { readonly kind: 'known'; readonly holds: boolean; readonly expected: string }
  | { readonly kind: 'unknown'; readonly reason: string };

const simple = [
  ['exact', 'be'],
  ['prefix', 'begin with'],
  ['suffix', 'end with'],
  ['contains', 'contain'],
] as const;

type Simple = (typeof simple)[number][0];

function compare(kind: Simple, value: string, pattern: string): boolean {
  switch (kind) {
    case 'exact':
      return value === pattern;
    case 'prefix':
      return value.startsWith(pattern);
    case 'suffix':
      return value.endsWith(pattern);
    case 'contains':
      return value.includes(pattern);
  }
}

export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function matchSimple(kind: Simple, value: string, pattern: string, ignoresCase: boolean): TextMatch {
  const fold = (text: string): string => (ignoresCase ? lowerAscii(text) : text);
  const word = simple.find(([each]) => each === kind)?.[1] ?? kind;
  const suffix = ignoresCase ? ' in any case' : '';
  return {
    kind: 'known',
    holds: compare(kind, fold(value), fold(pattern)),
    expected: `${word} ${JSON.stringify(pattern)}${suffix}`,
  };
}

/** The text with which every match begins, as far as it is clear without a parser: a cheap reason to fail. */
export function literalStart(pattern: string): string {
  if (pattern.includes('|')) return '';
  const [literal = ''] = /^[\w/-]*/.exec(pattern) ?? [];
  return /^[?*+{]/.test(pattern.slice(literal.length)) ? literal.slice(0, -1) : literal;
}

/** "The entire value must match the regex", in the syntax of RE2. */
export function matchRegex(pattern: string, value: string): TextMatch {
  const holds = value.startsWith(literalStart(pattern)) ? matchesRe2(pattern, value) : false;
  if (holds === undefined)
    return { kind: 'unknown', reason: `the regular expression ${JSON.stringify(pattern)} does not compile` };
  return { kind: 'known', holds, expected: `match ${JSON.stringify(pattern)} as a whole` };
}

/** An envoy.type.matcher.v3.StringMatcher. `ignore_case` has no effect on `safe_regex`. */
export function matchString(matcher: FieldReader, value: string): TextMatch {
  const kind = simple.map(([each]) => each).find((each) => matcher.has(each));
  if (kind !== undefined)
    return matchSimple(kind, value, matcher.string(kind), matcher.boolean('ignoreCase'));
  const regex = matcher.object('safeRegex');
  if (regex !== undefined) return matchRegex(regex.string('regex'), value);
  const custom = matcher.object('custom');
  if (custom !== undefined)
    return { kind: 'unknown', reason: `the matcher ${custom.string('name') || 'custom'} is an extension` };
  return matchSimple('exact', value, '', false);
}

/** The deprecated specifiers of a HeaderMatcher, such as `prefix_match`. */
export function matchOldSpecifier(matcher: FieldReader, value: string): TextMatch | undefined {
  const kind = simple.map(([each]) => each).find((each) => matcher.has(`${each}Match`));
  if (kind !== undefined) return matchSimple(kind, value, matcher.string(`${kind}Match`), false);
  const regex = matcher.object('safeRegexMatch');
  return regex && matchRegex(regex.string('regex'), value);
}
