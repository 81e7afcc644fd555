import { classifyName, isNameField, isValueField, looksSecret, type SecretName } from '../secret-name';
import { isNoSecret, type Mark } from './placeholder';

/** The characters of a name, as a part of a class: letters of other languages too. */
export const nameCharacters = String.raw`\w.\-\u00c0-\u024f\u0370-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af`;

/**
 * Matches a name, optionally in quotes, and "=", ":" or "=>"; or a printed message such as `password { inline_string:`.
 * The name must not follow a character of a name.
 */
const assignment = new RegExp(
  [
    `(?<![${nameCharacters}])([${nameCharacters}]{1,200})`,
    String.raw`(\\{0,4}["'\`]?\]?(?:\s{1,4}<\w{1,12}>)?\s{0,8}`,
    String.raw`(?::?\s{0,8}\{\s{0,8}\\{0,4}["']?(?:inline_?string|inline_?bytes|string_?value|value)\\{0,4}["']?\s{0,8}:`,
    String.raw`|:=|=>|=(?!=)|:(?![:=]))[ \t]{0,8}(?:!{1,2}\w{1,20}[ \t]{1,4})?)`,
  ].join(''),
  'gi',
);

/** The name in a pair such as {name: DB_PASSWORD, value: x}. */
const pairName = new RegExp(String.raw`\\{0,4}["'\`]?([${nameCharacters}]{2,200})`, 'y');
/** The value is at most this many characters behind the name. */
const pairDistance = 64;

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
  let pair: { readonly name: string; readonly end: number } | undefined;
  for (let found = assignment.exec(text); found !== null; found = assignment.exec(text)) {
    const [whole, written = '', separator = ''] = found;
    const from = found.index + whole.length;
    const isPaired = pair !== undefined && found.index - pair.end < pairDistance && isValueField(written);
    const name = isPaired && pair !== undefined ? pair.name : written;
    const kind = classifyAssigned(name);
    if (kind === undefined) {
      if (isNameField(written)) pair = findPairName(text, from) ?? pair;
      // In "a: b=c", the value of one match is the name of the next.
      assignment.lastIndex = found.index + written.length + Math.max(1, separator.trimEnd().length);
      continue;
    }
    const place = { name, separator, isDocument, nameAt: found.index, isWeak: kind === 'weak' };
    const values = findValues(text, from, place);
    for (const { start, end } of values) {
      masked += text.slice(copiedTo, start) + mark(text.slice(start, end));
      copiedTo = end;
    }
    assignment.lastIndex = Math.max(from, values.at(-1)?.end ?? 0);
  }
  return copiedTo === 0 ? text : masked + text.slice(copiedTo);
}

function findPairName(
  text: string,
  from: number,
): { readonly name: string; readonly end: number } | undefined {
  pairName.lastIndex = from;
  const [whole, name] = pairName.exec(text) ?? [];
  if (whole === undefined || name === undefined || classifyName(name) === undefined) return undefined;
  return { name, end: from + whole.length };
}

/** In binary data, the byte before a name of one word can look like a letter. */
function classifyAssigned(name: string): SecretName {
  return classifyName(name) ?? (/^\w[a-z]{4,}$/i.test(name) ? classifyName(name.slice(1)) : undefined);
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
  /** The value must look like a secret. */
  readonly isWeak: boolean;
}

/** The values below a name such as "tokens" are secrets too. */
const plural = /(?:passwords|secrets|tokens|credentials|keys)$/i;

function findValues(text: string, from: number, place: Place): Range[] {
  const found = findRanges(text, from, place);
  return place.isWeak ? found.filter(({ start, end }) => looksSecret(text.slice(start, end))) : found;
}

function findRanges(text: string, from: number, place: Place): Range[] {
  const opening = /\[=*\[/y;
  opening.lastIndex = from;
  if (opening.test(text)) return [findBracketed(text, from)];
  if (text[from] === '[') return text.startsWith('[redacted', from) ? [] : findListed(text, from);
  if (text[from] === '{' && plural.test(place.name)) return findMembers(text, from);
  const quoted = findQuoted(text, from);
  if (quoted !== undefined) return isNoSecret(text.slice(quoted.start, quoted.end)) ? [] : [quoted];
  const line = text.slice(from, from + 8).split('\n')[0] ?? '';
  if (/^[|>][+-]?[ \t]*\r?$/.test(line)) return findBlock(text, from);
  const lineEnd = /[ \t]{0,16}\r?\n/y;
  lineEnd.lastIndex = from;
  if (plural.test(place.name) && lineEnd.test(text)) return findBelow(text, from, place.nameAt);
  return findPlain(text, from, place);
}

/** Returns the content of a long string of Lua, [[x]] or [=[x]=]. */
function findBracketed(text: string, from: number): Range {
  const start = text.indexOf('[', from + 1) + 1;
  const closing = `]${'='.repeat(start - from - 2)}]`;
  const last = Math.min(text.length, start + longestSecret);
  const length = text.slice(start, last).indexOf(closing);
  return { start, end: length === -1 ? last : start + length };
}

/** These members of an object below a plural name describe the secret. */
const describing = /^(?:name|namespace|key|type|kind|path|file|version|ref|id)$/i;
const member = /[\s,{]{0,16}\\{0,4}["']?([\w.-]{1,100})\\{0,4}["']?\s{0,8}[:=]\s{0,8}/y;

/** Returns the values of an object of texts, such as {alice: x}. */
function findMembers(text: string, from: number): Range[] {
  const found: Range[] = [];
  let at = from + 1;
  while (found.length < 1_000) {
    member.lastIndex = at;
    const [whole, key = ''] = member.exec(text) ?? [];
    if (whole === undefined) return found;
    const start = at + whole.length;
    const value = findQuoted(text, start) ?? {
      start,
      end: start + (readPlain(text, start, false, '', longestSecret).length || 0),
    };
    if (value.end === start) return found;
    if (!describing.test(key) && !isNoSecret(text.slice(value.start, value.end))) found.push(value);
    at = value.end + (/^\\{0,4}["']/.exec(text.slice(value.end, value.end + 5))?.[0].length ?? 0);
  }
  return found;
}

const itemOfLine = /^(\s*)(?:-\s+)?(?:["']?([\w.-]{1,100})["']?:\s+)?["']?([^\s"'#[\]{}]{3,16384})["']?\s*$/;

/** Returns the values of the more deeply indented lines of a YAML list or map. */
function findBelow(text: string, from: number, nameAt: number): Range[] {
  const found: Range[] = [];
  const own = nameAt - (text.lastIndexOf('\n', nameAt - 1) + 1);
  for (let start = text.indexOf('\n', from) + 1; start > 0 && start < text.length && found.length < 1_000; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, Math.min(end, start + longestSecret + 200));
    const indentation = line.search(/\S/);
    if (indentation !== -1) {
      if (indentation < own || (indentation === own && line[indentation] !== '-')) return found;
      const [, , key = '', value] = itemOfLine.exec(line) ?? [];
      if (value === undefined || value.endsWith(':')) return found;
      if (!describing.test(key) && !isNoSecret(value)) {
        const at = start + line.lastIndexOf(value);
        found.push({ start: at, end: at + value.length });
      }
    }
    start = next === -1 ? 0 : next + 1;
  }
  return found;
}

/** Returns the value between equally escaped quotation marks. The closing mark may be missing. */
function findQuoted(text: string, from: number): Range | undefined {
  const open = /\\{0,4}["'`]/y;
  open.lastIndex = from;
  const quote = open.exec(text)?.[0];
  if (quote === undefined) return undefined;
  const start = from + quote.length;
  const content = text.slice(start, start + longestSecret);
  for (let end = content.indexOf(quote); end !== -1; end = content.indexOf(quote, end + 1)) {
    // An escaped mark is part of the value.
    if (quote.length > 1 || !isEscaped(content, end, 0)) return { start, end: start + end };
  }
  return { start, end: start + content.length };
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
    if (item === undefined) return found.length > 0 ? found : findPlainItems(text, from);
    if (!isNoSecret(text.slice(item.start, item.end))) found.push(item);
    at = item.end + 1;
    if (text[item.end] === '\\') at += (/^\\*/.exec(text.slice(item.end, item.end + 4))?.[0] ?? '').length;
  }
  return found;
}

/** Returns the values of a list without quotes that look like secrets. */
function findPlainItems(text: string, from: number): Range[] {
  const found: Range[] = [];
  const item = /\s{0,8}([^\s,[\]{}"']{8,4096})\s{0,8}(?:,|\])/y;
  item.lastIndex = from + 1;
  for (let each = item.exec(text); each !== null && found.length < 1_000; each = item.exec(text)) {
    const value = each[1] ?? '';
    const start = each.index + each[0].indexOf(value);
    if (looksSecret(value)) found.push({ start, end: start + value.length });
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
  const before = text.slice(Math.max(0, at - 200), at);
  return /^[\s"'-]*$/.test(before.slice(before.lastIndexOf('\n') + 1));
}
