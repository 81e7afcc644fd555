import { levelsExceeded } from '../document-nesting';

const [newline, hash, quote, apostrophe, backslash] = [0x0a, 0x23, 0x22, 0x27, 0x5c];
const [openBrace, closeBrace, openAngle, closeAngle, openBracket, closeBracket] = [
  0x7b, 0x7d, 0x3c, 0x3e, 0x5b, 0x5d,
];
const [colon, comma, semicolon, minus] = [0x3a, 0x2c, 0x3b, 0x2d];
const maxDepth = 200;

/** A field in protobuf's text format, as places in its bytes. */
export interface TextField {
  readonly from: number;
  /** The name as it is written, including the brackets of "[type.googleapis.com/...]". */
  readonly name: string;
  readonly kind: 'block' | 'list' | 'scalar';
  /** The brackets of a block or list are excluded. */
  readonly valueFrom: number;
  readonly valueTo: number;
  readonly end: number;
}

/** The text is malformed from byte `offset` on. */
export class TextFieldError extends Error {
  constructor(
    readonly offset: number,
    reason: string,
  ) {
    super(reason);
  }
}

/** Yields the fields of a message, whose borders are scanned. Throws a TextFieldError if the text is malformed. */
export function* textFields(bytes: Uint8Array, start: number, to: number): Generator<TextField> {
  let at = skipBlanks(bytes, start, to);
  while (at < to) {
    const from = at;
    const nameEnd = bytes[at] === openBracket ? endOfGroup(bytes, at, to) : endOfWord(bytes, at, to);
    if (nameEnd === at) throw new TextFieldError(at, 'expected the name of a field, got something else');
    const name = textOf(bytes, at, nameEnd).replace(/\s+/g, '');
    at = skipBlanks(bytes, nameEnd, to);
    if (bytes[at] === colon) at = skipBlanks(bytes, at + 1, to);
    const end = endOfTextValue(bytes, at, to);
    const first = bytes[at];
    const kind =
      first === openBrace || first === openAngle ? 'block' : first === openBracket ? 'list' : 'scalar';
    const inner = kind === 'scalar' ? 0 : 1;
    yield { from, name, kind, valueFrom: at + inner, valueTo: end - inner, end };
    at = skipSeparators(bytes, end, to);
  }
}

/** Returns the blocks of a list without their brackets, or undefined if the list has other values. */
export function textBlocks(bytes: Uint8Array, from: number, to: number): [number, number][] | undefined {
  const blocks: [number, number][] = [];
  let at = skipBlanks(bytes, from, to);
  while (at < to) {
    if (bytes[at] !== openBrace && bytes[at] !== openAngle) return undefined;
    const end = endOfGroup(bytes, at, to);
    blocks.push([at + 1, end - 1]);
    at = skipSeparators(bytes, end, to);
  }
  return blocks;
}

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
}

function endOfTextValue(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from];
  if (first === openBrace || first === openAngle || first === openBracket) return endOfGroup(bytes, from, to);
  let end = from;
  if (first === quote || first === apostrophe) {
    // Adjacent strings are one value.
    for (let at = from; bytes[at] === quote || bytes[at] === apostrophe; at = skipBlanks(bytes, end, to)) {
      end = endOfString(bytes, at, to);
      if (end >= to) break;
    }
    return end;
  }
  if (first === minus) end = skipBlanks(bytes, from + 1, to);
  end = endOfWord(bytes, end, to);
  if (end === from) throw new TextFieldError(from, 'expected a value, got something else');
  return end;
}

/** Returns the end of the group (exclusive) whose bracket opens at `from`. */
function endOfGroup(bytes: Uint8Array, from: number, to: number): number {
  const closing: number[] = [];
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte === quote || byte === apostrophe) at = endOfString(bytes, at, to) - 1;
    else if (byte === hash) at = endOfLine(bytes, at, to);
    else if (byte === openBrace) closing.push(closeBrace);
    else if (byte === openAngle) closing.push(closeAngle);
    else if (byte === openBracket) closing.push(closeBracket);
    else if (byte === closeBrace || byte === closeAngle || byte === closeBracket) {
      if (closing.pop() !== byte) throw new TextFieldError(at, 'expected another closing bracket');
      if (closing.length === 0) return at + 1;
    }
    if (closing.length > maxDepth) throw new TextFieldError(at, levelsExceeded(maxDepth).message);
  }
  throw new TextFieldError(to, 'it ends in the middle');
}

function endOfString(bytes: Uint8Array, from: number, to: number): number {
  const mark = bytes[from];
  for (let at = from + 1; at < to; at += 1) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === mark) return at + 1;
  }
  throw new TextFieldError(to, 'it ends in the middle of a text');
}

function endOfWord(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isWord(bytes[at] ?? 0)) at += 1;
  return at;
}

function isWord(byte: number): boolean {
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
  return (
    isLetter ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === minus
  );
}

function endOfLine(bytes: Uint8Array, from: number, to: number): number {
  const at = bytes.indexOf(newline, from);
  return at === -1 || at > to ? to : at;
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === hash) at = endOfLine(bytes, at, to);
    else if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return at;
  }
  return to;
}

function skipSeparators(bytes: Uint8Array, from: number, to: number): number {
  const at = skipBlanks(bytes, from, to);
  return bytes[at] === comma || bytes[at] === semicolon ? skipBlanks(bytes, at + 1, to) : at;
}
