import { assertJsonNesting, endOfString } from './document-nesting';

/** Matches a possibly large integer. Most documents have none, and are parsed once. */
const candidate = /(?:^|[[:,\s])-?\d{16,}(?:$|[\s,\]}])/;
const wholeNumber = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses like JSON.parse(), but integers that a number would round are bigint. May throw a NestingError. */
export function parseExactJson(text: string): unknown {
  assertJsonNesting(text);
  const json: unknown = JSON.parse(text);
  if (!candidate.test(text)) return json;
  const mark = findMark(text);
  const marked = markLargeIntegers(text, mark);
  if (marked === undefined) return json;
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Returns a prefix that no string of the text has. */
function findMark(text: string): string {
  // Strings with escapes are compared by their values.
  const meant = text.includes('\\u') ? JSON.stringify(JSON.parse(text)) : text;
  let at = 0;
  while (meant.includes(`"${at}:`)) at += 1;
  return `${at}:`;
}

/** Replaces large integers in valid JSON by strings with the prefix `mark`; undefined if there are none. */
function markLargeIntegers(text: string, mark: string): string | undefined {
  const parts: string[] = [];
  let found = false;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const between = text.slice(at, quote === -1 ? text.length : quote);
    parts.push(
      between.replace(wholeNumber, (token) => {
        if (!/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) return token;
        found = true;
        return `"${mark}${token}"`;
      }),
    );
    if (quote === -1) break;
    at = endOfString(text, quote) + 1;
    parts.push(text.slice(quote, at));
  }
  return found ? parts.join('') : undefined;
}
