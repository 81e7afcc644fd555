/** A message has at most 100 levels, each of which is an object and, if its field is repeated, a list. */
const mostLevels = 500;

/** Limits the members of one object. Maps of real configurations have a few thousand. */
export const mostMembers = 100_000;

/** Limits members and items in a document that is parsed at once: 20 to 36 MB of text in real dumps. */
const mostMembersOfDocument = 800_000;

/** The document exceeds a limit that protects the parser's memory and stack. */
export class NestingError extends Error {
  override readonly name = 'NestingError';

  /** `actual` is the number or, if counting stopped, a lower bound as text. */
  constructor(limit: string, actual: number | string) {
    super(`expected at most ${limit}, got ${actual}`);
  }
}

/** Builds the error of a reader that stops at the first level beyond its limit. */
export function levelsExceeded(limit: number): NestingError {
  return new NestingError(levelLimit(limit), `at least ${limit + 1}`);
}

function levelLimit(levels: number): string {
  return `${levels} levels of nesting`;
}

export function assertMembers(members: number): void {
  if (members > mostMembers) throw new NestingError(`${mostMembers} members in an object`, members);
}

export function assertMembersOfDocument(members: number, limit = mostMembersOfDocument): void {
  if (members > limit) throw new NestingError(`${limit} members in a document`, members);
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const comma = 0x2c;
const [newline, carriageReturn, tab, blank, dash, question, colon] = [
  0x0a, 0x0d, 0x09, 0x20, 0x2d, 0x3f, 0x3a,
];

/** Throws a NestingError. The text need not be valid JSON. */
export function assertJsonNesting(text: string): void {
  /** Number of commas in each open object, -1 for a list; no deeper than the limit. */
  const open: number[] = [];
  let [depth, deepest, members] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === openBrace || char === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth <= mostLevels) open.push(char === openBrace ? 0 : -1);
      if (!isEmptyBracket(text, at)) members += 1;
    } else if (char === closeBrace || char === closeBracket) {
      if (depth <= mostLevels) assertObject(open.pop());
      if (depth > 0) depth -= 1;
    } else if (char === comma) {
      members += 1;
      const commas = open.at(-1) ?? -1;
      if (commas !== -1 && depth <= mostLevels) open[open.length - 1] = commas + 1;
    }
  }
  // Objects of a truncated text count as well.
  for (const commas of open) assertObject(commas);
  if (deepest > mostLevels) throw new NestingError(levelLimit(mostLevels), deepest);
  assertMembersOfDocument(members);
}

function assertObject(commas = -1): void {
  if (commas !== -1) assertMembers(commas + 1);
}

/** Returns whether the bracket at `open` contains only blanks. */
export function isEmptyBracket(text: string, open: number): boolean {
  for (let at = open + 1; ; at++) {
    const char = text.charCodeAt(at);
    if (char !== blank && char !== newline && char !== carriageReturn && char !== tab)
      return char === closeBrace || char === closeBracket;
  }
}

/** Returns the place of the quote that closes the string opened at `from`, or the end of an unterminated text. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/**
 * Counts the levels of YAML or protobuf's text format by brackets, indentation, and indicators at the beginning of a line
 * ("- - - a"). Brackets in strings count as well, so that a text with hundreds of unclosed ones is rejected. Throws a
 * NestingError.
 */
export function assertBlockNesting(text: string): void {
  const indents: number[] = [];
  let brackets = 0;
  let isAtStart = true;
  let column = 0;
  for (let at = 0; at < text.length; at++, column++) {
    const char = text.charCodeAt(at);
    if (char === newline) {
      isAtStart = true;
      column = -1;
      continue;
    }
    if (isAtStart && char !== blank) {
      while ((indents.at(-1) ?? -1) >= column) indents.pop();
      indents.push(column);
      const isIndicator = char === dash || char === question || char === colon;
      isAtStart = isIndicator && text.charCodeAt(at + 1) === blank;
    }
    if (char === openBrace || char === openBracket) brackets += 1;
    else if ((char === closeBrace || char === closeBracket) && brackets > 0) brackets -= 1;
    if (indents.length + brackets > mostLevels) throw levelsExceeded(mostLevels);
  }
}
