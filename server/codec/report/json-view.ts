import { parseExactJson } from '../parse-exact-json';
import { type DocumentView, ScanError } from './document-view';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** 0: a byte that is of no interest within a container and outside of strings. */
const interest = new Uint8Array(256);
for (const byte of [quote, openBrace, closeBrace, openBracket, closeBracket]) interest[byte] = 1;

/** A string is at most half a gigabyte in Node. */
const largestValueBytes = 256 * 1024 * 1024;

/**
 * JSON as bytes: only borders are looked for, each byte mostly once, and what is asked for is parsed. So a document of
 * 200 MB costs its bytes and one element at a time.
 */
export class JsonView implements DocumentView {
  readonly kind: DocumentView['kind'];
  /** Behind its last byte; -1: not looked for yet. */
  private end = -1;

  constructor(
    private readonly bytes: Uint8Array,
    readonly offset: number,
  ) {
    const first = bytes[offset];
    this.kind = first === openBrace ? 'object' : first === openBracket ? 'list' : 'other';
  }

  *members(): Iterable<readonly [string, JsonView]> {
    if (this.kind !== 'object') return;
    let at = skipBlanks(this.bytes, this.offset + 1);
    while (this.bytes[at] !== closeBrace) {
      const keyEnd = endOfString(this.bytes, at);
      const key = parseKey(this.bytes, at, keyEnd);
      at = skipBlanks(this.bytes, keyEnd);
      this.expect(at, colon, '":"');
      const value = new JsonView(this.bytes, skipBlanks(this.bytes, at + 1));
      yield [key, value];
      at = this.behind(value, closeBrace);
    }
    this.end = at + 1;
  }

  *items(): Iterable<JsonView> {
    if (this.kind !== 'list') return;
    let at = skipBlanks(this.bytes, this.offset + 1);
    while (this.bytes[at] !== closeBracket) {
      const item = new JsonView(this.bytes, at);
      yield item;
      at = this.behind(item, closeBracket);
    }
    this.end = at + 1;
  }

  value(): unknown {
    const { offset } = this;
    const size = this.size();
    if (size > largestValueBytes) {
      throw new Error(`expected at most ${largestValueBytes} bytes in one value, got ${size}`);
    }
    return parseExactJson(Buffer.from(this.bytes.buffer, this.bytes.byteOffset + offset, size).toString());
  }

  size(): number {
    return this.findEnd() - this.offset;
  }

  /** Behind it: where the next value may begin. */
  findEnd(): number {
    if (this.end === -1) this.end = endOfValue(this.bytes, this.offset);
    return this.end;
  }

  /** Where the next element begins, or `close` is. */
  private behind(value: JsonView, close: number): number {
    const at = skipBlanks(this.bytes, value.findEnd());
    if (this.bytes[at] === close) return at;
    this.expect(at, comma, `"," or "${String.fromCharCode(close)}"`);
    const next = skipBlanks(this.bytes, at + 1);
    if (next >= this.bytes.length) throw new ScanError(next, 'it ends in the middle,');
    return next;
  }

  private expect(at: number, byte: number, what: string): void {
    if (at >= this.bytes.length) throw new ScanError(at, 'it ends in the middle,');
    if (this.bytes[at] !== byte) throw new ScanError(at, `expected ${what}, got something else`);
  }
}

export function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** `at`: of the opening quote. Returns the place behind the closing one. */
function endOfString(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) throw new ScanError(at, 'it ends in the middle,');
  if (bytes[at] !== quote) throw new ScanError(at, 'expected a name in quotes, got something else');
  for (let next = at + 1; next < bytes.length; next += 1) {
    const byte = bytes[next];
    if (byte === backslash) next += 1;
    else if (byte === quote) return next + 1;
  }
  throw new ScanError(bytes.length, 'it ends in the middle of a string,');
}

function endOfValue(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = from; at < length; at += 1) {
    if (depth > 0) while (at < length && interest[bytes[at] ?? 0] === 0) at += 1;
    const byte = bytes[at];
    if (byte === quote) {
      // As endOfString, in the loop that sees every byte.
      for (at += 1; at < length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
      if (depth === 0 && at < length) return at + 1;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return endOfScalar(from, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (
      depth === 0 &&
      (byte === comma || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 9)
    ) {
      return endOfScalar(from, at);
    }
  }
  // A number, true, false or null may be all of a document.
  if (depth === 0 && bytes[from] !== quote) return endOfScalar(from, length);
  throw new ScanError(length, 'it ends in the middle,');
}

function endOfScalar(from: number, at: number): number {
  if (at === from) throw new ScanError(at, 'expected a value, got something else');
  return at;
}

function parseKey(bytes: Uint8Array, from: number, end: number): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString();
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    throw new ScanError(from, 'expected a name in quotes, got one with a broken escape');
  }
}
