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

/** RFC 9113 6.5.2: what a field counts for beside its name and value. */
const fieldBytes = 32;
/** SETTINGS_MAX_HEADER_LIST_SIZE of ours. */
export const maxHeaderListBytes = 64 * 1024;

/**
 * A header block (HPACK, RFC 7541) of a peer that keeps no dynamic table (SETTINGS_HEADER_TABLE_SIZE 0). Values of a repeated
 * field are joined, as node:http2 does. Throws an Http2Error, also for a list of more than maxHeaderListBytes.
 */
export function decodeHeaderBlock(block: Buffer): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  const reader = new BlockReader(block);
  let listBytes = 0;
  while (!reader.isAtEnd) {
    const first = reader.peek();
    if ((first & 0b1110_0000) === 0b0010_0000) {
      if (reader.integer(5) > 0) throw compressionError();
      continue;
    }
    const [name, value] = readField(reader, first);
    listBytes += name.length + value.length + fieldBytes;
    if (listBytes > maxHeaderListBytes) throw new Http2Error('ENHANCE_YOUR_CALM');
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function readField(reader: BlockReader, first: number): readonly [name: string, value: string] {
  const isIndexed = first >= 0b1000_0000;
  const isToBeKept = !isIndexed && first >= 0b0100_0000;
  const index = reader.integer(isIndexed ? 7 : isToBeKept ? 6 : 4);
  const entry = staticTable[index - 1];
  if (entry === undefined && (isIndexed || index > 0)) throw compressionError();
  if (isIndexed && entry !== undefined) return entry;
  const name = entry?.[0] ?? reader.text();
  return [name, reader.text()];
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
