/** A message nests at most 100 levels, each of which is an object, and a list where its field is repeated. */
export const mostLevels = 500;

/** Of one object: maps of real configs have some thousand. */
export const mostMembers = 100_000;

/** A document is beyond what could be read: parsing it could take all memory, or all of the stack. */
export class NestingError extends Error {
  override readonly name = 'NestingError';

  /** `actual`: how many there are, where that is known. */
  constructor(
    readonly limit = `${mostLevels} levels of nesting`,
    actual?: number,
  ) {
    super(`expected at most ${limit}, got ${actual ?? 'more'}`);
  }
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const comma = 0x2c;
const [newline, blank, dash, question, colon] = [0x0a, 0x20, 0x2d, 0x3f, 0x3a];

/** Throws a NestingError. Whether the text is JSON is not asked. */
export function assertJsonNesting(text: string): void {
  /** Of each open object, the commas so far; of a list -1. */
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === openBrace || char === openBracket) {
      open.push(char === openBrace ? 0 : -1);
      if (open.length > mostLevels) throw new NestingError();
    } else if (char === closeBrace || char === closeBracket) assertMembers(open.pop());
    else if (char === comma) {
      const commas = open.at(-1) ?? -1;
      if (commas !== -1) open[open.length - 1] = commas + 1;
    }
  }
  // What ends in the middle is not parsed either.
  for (const commas of open) assertMembers(commas);
}

function assertMembers(commas = -1): void {
  if (commas >= mostMembers) throw new NestingError(`${mostMembers} members in an object`, commas + 1);
}

/** Place of the quote that ends it. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/**
 * The same of YAML and of protobuf's text format. Throws a NestingError. Counts brackets, indentation, and the indicators at the beginning of a line ("- - - a"); which
 * of them are within strings is not asked, so that text with hundreds of brackets that nothing closes is rejected too.
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
    if (indents.length + brackets > mostLevels) throw new NestingError();
  }
}
