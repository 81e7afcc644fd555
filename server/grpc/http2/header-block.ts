import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import { Http2Error } from './http2-error';
import { decodeHuffman } from './huffman';

/** RFC 7541, Appendix A, from 1 on. */
const staticTable: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...['200', '204', '206', '304', '400', '404', '500'].map((code) => [':status', code] as const),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...[
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control',
    'content-disposition content-encoding content-language content-length content-location content-range',
    'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range',
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range',
    'referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary',
    'via www-authenticate',
  ].flatMap((names) => names.split(' ').map((name) => [name, ''] as const)),
];

/** RFC 7541 4.1: what a field takes beside its name and value. */
const fieldBytes = 32;

/** What a peer's header blocks have in common (RFC 7541 2.3.2), newest first. */
export class HeaderTable {
  readonly #fields: (readonly [name: string, value: string])[] = [];
  #sizeBytes = 0;
  #limitBytes: number;

  constructor(private readonly mostBytes: number) {
    this.#limitBytes = mostBytes;
  }

  /** From 0 on. */
  find(index: number): readonly [name: string, value: string] | undefined {
    return this.#fields[index];
  }

  add(field: readonly [name: string, value: string]): void {
    this.#sizeBytes += sizeOf(field);
    this.#fields.unshift(field);
    this.#shrink();
  }

  /** Throws an Http2Error where the peer wants more than it may have. */
  resize(limitBytes: number): void {
    if (limitBytes > this.mostBytes) throw compressionError();
    this.#limitBytes = limitBytes;
    this.#shrink();
  }

  #shrink(): void {
    while (this.#sizeBytes > this.#limitBytes) {
      const oldest = this.#fields.pop();
      this.#sizeBytes -= oldest === undefined ? this.#sizeBytes : sizeOf(oldest);
    }
  }
}

function sizeOf([name, value]: readonly [name: string, value: string]): number {
  return name.length + value.length + fieldBytes;
}

const noTable = new HeaderTable(0);

/**
 * A header block (HPACK, RFC 7541). Without a table: of a peer that was told to keep none (SETTINGS_HEADER_TABLE_SIZE 0),
 * what it says stands by itself, or in the table that all have. Throws an Http2Error. Of a field that comes twice all
 * values are told, as node:http2 tells them.
 */
export function decodeHeaderBlock(block: Buffer, table: HeaderTable = noTable): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  const reader = new BlockReader(block);
  while (!reader.isAtEnd) {
    const first = reader.peek();
    if ((first & 0b1110_0000) === 0b0010_0000) {
      table.resize(reader.integer(5));
      continue;
    }
    const [name, value] = readField(reader, first, table);
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function readField(
  reader: BlockReader,
  first: number,
  table: HeaderTable,
): readonly [name: string, value: string] {
  const isIndexed = first >= 0b1000_0000;
  const isToBeKept = !isIndexed && first >= 0b0100_0000;
  const index = reader.integer(isIndexed ? 7 : isToBeKept ? 6 : 4);
  const entry =
    index > staticTable.length ? table.find(index - 1 - staticTable.length) : staticTable[index - 1];
  if (entry === undefined && (isIndexed || index > 0)) throw compressionError();
  if (isIndexed && entry !== undefined) return entry;
  const name = entry?.[0] ?? reader.text();
  const field = [name, reader.text()] as const;
  if (isToBeKept) table.add(field);
  return field;
}

/** Nothing is compressed, and nothing is to be kept: it is sent once for each stream. */
export function encodeHeaderBlock(headers: OutgoingHttpHeaders): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) parts.push(Buffer.of(0), textOf(name), textOf(String(value)));
  }
  return Buffer.concat(parts);
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length: number[] = [];
  if (bytes.length < 127) length.push(bytes.length);
  else {
    length.push(127);
    let rest = bytes.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

class BlockReader {
  #position = 0;

  constructor(private readonly block: Buffer) {}

  get isAtEnd(): boolean {
    return this.#position === this.block.length;
  }

  peek(): number {
    const byte = this.block[this.#position];
    if (byte === undefined) throw compressionError();
    return byte;
  }

  /** RFC 7541 5.1: with so many bits of its first octet. */
  integer(prefixBits: number): number {
    const most = 2 ** prefixBits - 1;
    let value = this.#next() & most;
    if (value < most) return value;
    for (let shift = 0; ; shift += 7) {
      if (shift > 21) throw compressionError();
      const byte = this.#next();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const isHuffman = this.peek() >= 128;
    const length = this.integer(7);
    const end = this.#position + length;
    if (end > this.block.length) throw compressionError();
    const bytes = this.block.subarray(this.#position, end);
    this.#position = end;
    const text = isHuffman ? decodeHuffman(bytes) : bytes.toString('latin1');
    if (text === undefined) throw compressionError();
    return text;
  }

  #next(): number {
    const byte = this.peek();
    this.#position += 1;
    return byte;
  }
}

function compressionError(): Http2Error {
  return new Http2Error('COMPRESSION_ERROR');
}
