import { assertJsonNesting } from './document-nesting';

/** With a character around it that a number may have: most documents have none and are parsed once. */
const candidate = /(?:^|[[:,\s])-?\d{16,}(?:$|[\s,\]}])/;
const wholeNumber = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * As JSON.parse, and integers that a number would round are bigint. Throws what JSON.parse throws, with the same place,
 * or a NestingError.
 */
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

/** A beginning that no string of the text has. */
function findMark(text: string): string {
  // What is written with escapes is looked for as what it means.
  const meant = text.includes('\\u') ? JSON.stringify(JSON.parse(text)) : text;
  let at = 0;
  while (meant.includes(`"${at}:`)) at += 1;
  return `${at}:`;
}

/** Those outside strings as strings; undefined: there are none. `text` is JSON. */
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
    at = endOfString(text, quote);
    parts.push(text.slice(quote, at));
  }
  return found ? parts.join('') : undefined;
}

/** Behind the quote that ends it. */
function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
