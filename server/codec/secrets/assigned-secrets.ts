import { isSecretName } from '../secret-name';
import { isNoSecret, type Mark } from './placeholder';

/**
 * Matches a name, optionally in quotes, and "=", ":" or "=>"; or a printed message such as `password { inline_string:`.
 * The name must not follow a character of a name.
 */
const assignment = new RegExp(
  [
    String.raw`(?<![\w.-])([\w.-]{1,200})(\\{0,4}["'\`]?\s{0,8}`,
    String.raw`(?::?\s{0,8}\{\s{0,8}\\{0,4}["']?(?:inline_?string|inline_?bytes|string_?value|value)\\{0,4}["']?\s{0,8}:`,
    String.raw`|:=|=>|=(?!=)|:(?![:=]))[ \t]{0,8})`,
  ].join(''),
  'gi',
);

/** Names that end with one of these words name a secret in an assignment, but not as a key of JSON. */
const assignedWords = new Set(
  'pass pw sig signature jwt sid sessionid jsessionid phpsessid session auth'.split(' '),
);
/** A short value behind one of these words is no secret. */
const weakWords = new Set(['session', 'auth']);
/** Headers whose whole line is the credential. */
const wholeLineWords = new Set(['authorization', 'cookie']);
/** Words that also precede a colon in sentences, as in "unknown secret: default". */
const proseWords = new Set(
  'secret secrets token cookie credential credentials authorization session auth'.split(' '),
);
const proseValue = /^[A-Za-z][A-Za-z./_-]*$/;
/** A value is classified by this many characters; a longer secret is masked up to its end. */
const validatedLength = 2_048;
const longestSecret = 16 * 1024;

/** Masks `password = x`, `"api_key": "x"`, `token: x` and `?sig=x` in sentences, JSON, YAML, ini files and URLs. */
export function maskAssigned(text: string, mark: Mark): string {
  let masked = '';
  let copiedTo = 0;
  const isDocument = text.includes('\n');
  assignment.lastIndex = 0;
  for (let found = assignment.exec(text); found !== null; found = assignment.exec(text)) {
    const [whole, name = '', separator = ''] = found;
    const isListed = text[found.index + whole.length] === '[';
    if (!namesSecret(name) && !(isListed && /tokens$/i.test(name))) {
      // In "a: b=c", the value of one match is the name of the next.
      assignment.lastIndex = found.index + name.length + Math.max(1, separator.trimEnd().length);
      continue;
    }
    const from = found.index + whole.length;
    const values = findValues(text, from, { name, separator, isDocument, nameAt: found.index });
    for (const { start, end } of values) {
      masked += text.slice(copiedTo, start) + mark(text.slice(start, end));
      copiedTo = end;
    }
    assignment.lastIndex = Math.max(from, values.at(-1)?.end ?? 0);
  }
  return copiedTo === 0 ? text : masked + text.slice(copiedTo);
}

/** In binary data, the byte before a name can look like a letter. */
function namesSecret(name: string): boolean {
  return isSecretName(name) || assignedWords.has(lastWord(name)) || isSecretName(name.slice(1));
}

function lastWord(name: string): string {
  const words = name.slice(-100).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return /[a-z0-9]*$/.exec(words.toLowerCase())?.[0] ?? '';
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Place {
  readonly name: string;
  readonly separator: string;
  readonly isDocument: boolean;
  readonly nameAt: number;
}

function findValues(text: string, from: number, place: Place): Range[] {
  if (text[from] === '[') return text.startsWith('[redacted', from) ? [] : findListed(text, from);
  const quoted = findQuoted(text, from);
  if (quoted !== undefined) {
    const value = text.slice(quoted.start, quoted.end);
    const isWeak = weakWords.has(lastWord(place.name)) && value.length < 8;
    return isWeak || isNoSecret(value) ? [] : [quoted];
  }
  if (/^[|>][+-]?[ \t]*\r?$/m.test(text.slice(from, from + 8).split('\n')[0] ?? ''))
    return findBlock(text, from);
  return findPlain(text, from, place);
}

/** Returns the value between equally escaped quotation marks. The closing mark may be missing. */
function findQuoted(text: string, from: number): Range | undefined {
  const open = /\\{0,4}["'`]/y;
  open.lastIndex = from;
  const quote = open.exec(text)?.[0];
  if (quote === undefined) return undefined;
  const start = from + quote.length;
  const last = Math.min(text.length, start + longestSecret);
  for (let end = text.indexOf(quote, start); end !== -1 && end < last; end = text.indexOf(quote, end + 1)) {
    // An escaped mark is part of the value.
    if (quote.length > 1 || !isEscaped(text, end, start)) return { start, end };
  }
  return { start, end: last };
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0;
  while (at - slashes > from && text[at - slashes - 1] === '\\') slashes++;
  return slashes % 2 === 1;
}

/** Returns the values of a list such as ["x", "y"]. */
function findListed(text: string, from: number): Range[] {
  const found: Range[] = [];
  let at = from + 1;
  while (found.length < 1_000) {
    while (at < text.length && /[\s,]/.test(text[at] ?? '')) at++;
    const item = findQuoted(text, at);
    if (item === undefined) return found;
    if (!isNoSecret(text.slice(item.start, item.end))) found.push(item);
    at = item.end + 1;
    if (text[item.end] === '\\') at += (/^\\*/.exec(text.slice(item.end, item.end + 4))?.[0] ?? '').length;
  }
  return found;
}

/** Returns the more deeply indented lines of a YAML block scalar. */
function findBlock(text: string, from: number): Range[] {
  const found: Range[] = [];
  let lineStart = text.indexOf('\n', from) + 1;
  let indentation = -1;
  while (lineStart > 0 && lineStart < text.length) {
    const next = text.indexOf('\n', lineStart);
    const lineEnd = next === -1 ? text.length : next;
    let start = lineStart;
    while (start < lineEnd && (text[start] === ' ' || text[start] === '\t')) start++;
    if (start < lineEnd) {
      if (indentation === -1) indentation = start - lineStart;
      if (indentation === 0 || start - lineStart < indentation) return found;
      if (!isNoSecret(text.slice(start, lineEnd))) found.push({ start, end: lineEnd });
    }
    lineStart = lineEnd + 1;
  }
  return found;
}

function findPlain(text: string, from: number, { name, separator, isDocument, nameAt }: Place): Range[] {
  const word = lastWord(name);
  const isHeader = wholeLineWords.has(word);
  const takesLine = isHeader || (isDocument && /\s$/.test(separator) && startsLine(text, nameAt));
  if (isHeader && !/[\d=]/.test(/[^\r\n]*/.exec(text.slice(from, from + 512))?.[0] ?? '')) return [];
  const validated = readPlain(text, from, takesLine, text[nameAt - 1] ?? '', validatedLength);
  if (isNoSecret(validated) || isExpression(validated)) return [];
  if (separator.includes(':') && proseWords.has(word) && proseValue.test(validated)) return [];
  // A port or a version, as in "auth/token:8080".
  if (separator === ':' && /^v?\d{1,5}(?:\.\d+){0,3}$/.test(validated)) return [];
  if (weakWords.has(word) && validated.length < 8) return [];
  const value = readPlain(text, from, takesLine, text[nameAt - 1] ?? '', longestSecret);
  return [{ start: from, end: from + value.length }];
}

/** Reads up to the end of the line if `takesLine`, else up to a delimiter. */
function readPlain(text: string, from: number, takesLine: boolean, before: string, longest: number): string {
  if (takesLine) {
    const line = /^[^\r\n]*/.exec(text.slice(from, from + longest))?.[0] ?? '';
    const quote = /["'`]/.test(before) ? findClosing(line, before) : -1;
    const escaped = line.search(/\\+[rn]/);
    const ends = [quote, escaped].filter((end) => end !== -1);
    return trimEnd(line.slice(0, Math.min(line.length, ...ends)).replace(/\s{1,100}#.*$/, ''));
  }
  const plain = /^(?:\[redacted(?: hmac-sha256:[0-9a-f]{16})?\]|[^\s,;&"'`<>\\])*/;
  return trimEnd(plain.exec(text.slice(from, from + longest))?.[0] ?? '');
}

/** Returns the place of the quote that closes the string around the line. A quote behind "=" opens a parameter. */
function findClosing(line: string, quote: string): number {
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) {
    if (line[at - 1] !== '=') return at;
    at = line.indexOf(quote, at + 1);
    if (at === -1) return -1;
  }
  return -1;
}

/** Removes punctuation and brackets behind the value. */
function trimEnd(value: string): string {
  const closing = /[\s)\]}.,:;!?]{1,10}$/.exec(value.slice(-10))?.[0] ?? '';
  const isMarker = /\[redacted(?: hmac-sha256:[0-9a-f]{16})?\]$/.test(value.slice(-60));
  return isMarker ? value : value.slice(0, value.length - closing.length);
}

/** Returns whether the value is a call in a script, as in "token = headers:get(...)". */
function isExpression(value: string): boolean {
  return /^[A-Za-z_][\w.:]{0,200}\(/.test(value);
}

function startsLine(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, text.lastIndexOf('\n', at - 1) + 1, at - 200), at);
  return /^[\s"'-]*$/.test(before);
}
