import { parseExactJson } from '../parse-exact-json';
import { type ByteSource, type Bytes, reaches, sourceOf } from './byte-source';
import { type DocumentView, ScanError } from './document-view';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** 1 for the bytes that delimit strings, objects and lists. */
const isDelimiter = new Uint8Array(256);
for (const byte of [quote, openBrace, closeBrace, openBracket, closeBracket]) isDelimiter[byte] = 1;

/** The longest string of Node is half a gigabyte. */
const largestValueBytes = 256 * 1024 * 1024;

/**
 * A value of a JSON document in bytes. Only the borders of values are scanned, each byte mostly once, and only values
 * that are requested are parsed, so that a document of 200 MB takes its bytes and one element at a time in memory. The
 * scan can run while the document still arrives.
 */
export class JsonView implements DocumentView {
  readonly kind: DocumentView['kind'];
  readonly #source: ByteSource;
  /** End of the value (exclusive), or -1 before it was searched for. */
  #end = -1;

  constructor(
    bytes: Bytes,
    readonly offset: number,
  ) {
    this.#source = sourceOf(bytes);
    const first = byteAt(this.#source, offset);
    this.kind = first === openBrace ? 'object' : first === openBracket ? 'list' : 'other';
  }

  *members(): Iterable<readonly [string, JsonView]> {
    if (this.kind !== 'object') return;
    const source = this.#source;
    let at = skipBlanks(source, this.offset + 1);
    while (byteAt(source, at) !== closeBrace) {
      const keyEnd = endOfKey(source, at);
      const key = parseKey(source.bytes, at, keyEnd);
      at = skipBlanks(source, keyEnd);
      this.#expect(at, colon, '":"');
      const value = new JsonView(source, skipBlanks(source, at + 1));
      yield [key, value];
      at = this.#behind(value, closeBrace);
    }
    this.#end = at + 1;
  }

  *items(): Iterable<readonly [index: number, item: JsonView]> {
    if (this.kind !== 'list') return;
    const source = this.#source;
    let at = skipBlanks(source, this.offset + 1);
    for (let index = 0; byteAt(source, at) !== closeBracket; index += 1) {
      const item = new JsonView(source, at);
      yield [index, item];
      at = this.#behind(item, closeBracket);
    }
    this.#end = at + 1;
  }

  value(): unknown {
    const offset = this.offset,
      source = this.#source;
    const size = this.size();
    if (size > largestValueBytes) {
      throw new Error(`expected at most ${largestValueBytes} bytes in one value, got ${size}`);
    }
    const { buffer, byteOffset } = source.bytes;
    return parseExactJson(Buffer.from(buffer, byteOffset + offset, size).toString());
  }

  size(): number {
    return this.findEnd() - this.offset;
  }

  /** Returns the end of the value (exclusive). Throws a ScanError if the value is malformed. */
  findEnd(): number {
    if (this.#end === -1) this.#end = endOfValue(this.#source, this.offset);
    return this.#end;
  }

  /** Returns the start of the element after `value`, or the place of the closing byte `close`. */
  #behind(value: JsonView, close: number): number {
    const at = skipBlanks(this.#source, value.findEnd());
    if (byteAt(this.#source, at) === close) return at;
    this.#expect(at, comma, `"," or "${String.fromCharCode(close)}"`);
    const next = skipBlanks(this.#source, at + 1);
    if (!reaches(this.#source, next)) throw new ScanError(next, 'it ends in the middle,', true);
    return next;
  }

  #expect(at: number, byte: number, what: string): void {
    const found = byteAt(this.#source, at);
    if (found === undefined) throw new ScanError(at, 'it ends in the middle,', true);
    if (found !== byte) throw new ScanError(at, `expected ${what}, got something else`);
  }
}

/** Returns undefined behind the end of the document. */
function byteAt(source: ByteSource, at: number): number | undefined {
  return reaches(source, at) ? source.bytes[at] : undefined;
}

/** Returns the place of the next byte that is not a blank, or the end of the document. */
export function skipBlanks(source: ByteSource, from: number): number {
  let at = from;
  for (;;) {
    const byte = byteAt(source, at);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

function endOfKey(source: ByteSource, at: number): number {
  const first = byteAt(source, at);
  if (first === undefined) throw new ScanError(at, 'it ends in the middle,', true);
  if (first !== quote) throw new ScanError(at, 'expected a name in quotes, got something else');
  return endOfString(source, at);
}

/** `from` is the place of the opening quote. Returns the place behind the closing one. */
function endOfString(source: ByteSource, from: number): number {
  let at = from + 1;
  do {
    const { bytes, length } = source;
    while (at < length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    if (at < length) return at + 1;
  } while (source.grow());
  throw new ScanError(source.length, 'it ends in the middle of a string,', true);
}

function endOfValue(source: ByteSource, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const { bytes, length } = source;
    while (at < length) {
      if (depth > 0) {
        while (at < length && isDelimiter[bytes[at] ?? 0] === 0) at += 1;
        if (at === length) break;
      }
      const byte = bytes[at];
      if (byte === quote) {
        at = endOfString(source, at);
        if (depth === 0) return at;
        // The source may have grown into another buffer.
        if (source.length !== length) break;
        continue;
      }
      if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return endOfScalar(from, at);
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && endsScalar(byte)) return endOfScalar(from, at);
      at += 1;
    }
  } while (at < source.length || source.grow());
  // A document may consist of a number, true, false or null.
  if (depth === 0) return endOfScalar(from, source.length);
  throw new ScanError(source.length, 'it ends in the middle,', true);
}

function endsScalar(byte: number | undefined): boolean {
  return byte === comma || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
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
