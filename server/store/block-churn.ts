import type { ChurnContent, ChurnEntry, ChurnResponse } from '@/lib/churn/churn-entry';
import { ByteReader, ByteWriter } from '../codec/byte-writer';
import { inflateBytes } from './deflate';

const format = 1;

/**
 * Encodes churn entries with some 10 bytes each. Texts are written once, in front, and entries refer to them by number.
 * A response is written with the number of its type + 1 (a poll with 0); its contents share its type and version.
 */
export class ChurnWriter {
  readonly #body = new ByteWriter();
  readonly #texts = new Interner();
  #count = 0;
  #at = 0;

  add({ at, clientId, response, contents }: ChurnEntry): void {
    this.#count += 1;
    this.#body.signed(at - this.#at);
    this.#at = at;
    this.#writeText(clientId);
    if (response === null) this.#body.varint(0);
    else this.#addResponse(response);
    this.#body.varint(contents.length);
    for (const { typeUrl, name, hash, version } of contents) {
      if (response === null) {
        this.#writeText(typeUrl);
        this.#writeText(version);
      }
      this.#writeText(name);
      this.#writeText(hash);
    }
  }

  /** Returns bytes that are not deflated yet. */
  finish(): Uint8Array {
    const writer = new ByteWriter();
    const { texts } = this.#texts;
    writer.varint(format);
    writer.varint(texts.length);
    for (const text of texts) writer.text(text);
    writer.varint(this.#count);
    writer.bytes(this.#body.finish());
    return writer.finish();
  }

  #addResponse(response: ChurnResponse): void {
    const { typeUrl, streamId, version, server, sizeBytes, repeats, total, isBare } = response;
    this.#body.varint(this.#texts.add(typeUrl) + 1);
    for (const text of [streamId, version, server]) this.#writeText(text);
    this.#body.varint(sizeBytes);
    this.#body.varint(repeats);
    this.#body.varint(2 * total + (isBare ? 1 : 0));
  }

  #writeText(text: string): void {
    this.#body.varint(this.#texts.add(text));
  }
}

/**
 * Returns entries in the order of the log. A content that equals the one reported before for the same resource, which
 * is usual when many clients receive the same, is left out unless `withRepeats`; a caller that filters entries by
 * client or time needs all of them.
 */
export function decodeChurn(bytes: Uint8Array, withRepeats: boolean): ChurnEntry[] {
  const reader = new ByteReader(inflateBytes(bytes));
  const found = reader.varint();
  if (found !== format) throw new RangeError(`churn of a block: expected format ${format}, got ${found}`);
  const texts: string[] = [];
  for (let left = reader.varint(); left > 0; left--) texts.push(reader.text());
  const text = () => texts[reader.varint()] ?? '';
  const repeats = withRepeats ? undefined : new Repeats(texts.length);
  const entries: ChurnEntry[] = [];
  let at = 0;
  for (let left = reader.varint(); left > 0; left--) {
    at += reader.signed();
    const clientId = text();
    const type = reader.varint();
    const response = type === 0 ? null : readResponse(reader, texts, texts[type - 1] ?? '');
    let contents: ChurnContent[] | undefined;
    for (let more = reader.varint(); more > 0; more--) {
      const typeUrl = response === null ? text() : response.typeUrl;
      const version = response === null ? text() : response.version;
      const name = reader.varint();
      const hash = reader.varint();
      if (repeats?.isRepeat(name, hash, version, typeUrl)) continue;
      contents ??= [];
      contents.push({ typeUrl, version, name: texts[name] ?? '', hash: texts[hash] ?? '' });
    }
    entries.push({ at, clientId, response, contents: contents ?? none });
  }
  return entries;
}

const none: readonly ChurnContent[] = [];

class Repeats {
  readonly #hashes: Uint32Array;
  readonly #versions: string[] = [];
  readonly #types: string[] = [];

  constructor(texts: number) {
    this.#hashes = new Uint32Array(texts);
  }

  isRepeat(name: number, hash: number, version: string, typeUrl: string): boolean {
    if (this.#hashes[name] === hash && this.#versions[name] === version && this.#types[name] === typeUrl)
      return true;
    this.#hashes[name] = hash;
    this.#versions[name] = version;
    this.#types[name] = typeUrl;
    return false;
  }
}

function readResponse(reader: ByteReader, texts: readonly string[], typeUrl: string): ChurnResponse {
  const streamId = texts[reader.varint()] ?? '';
  const version = texts[reader.varint()] ?? '';
  const server = texts[reader.varint()] ?? '';
  const sizeBytes = reader.varint();
  const repeats = reader.varint();
  const totalAndBare = reader.varint();
  const isBare = totalAndBare % 2 === 1;
  return {
    typeUrl,
    streamId,
    version,
    server,
    sizeBytes,
    repeats,
    total: (totalAndBare - (isBare ? 1 : 0)) / 2,
    isBare,
  };
}

/** Numbers texts from 1 on; 0 means "none". */
class Interner {
  readonly texts: string[] = [''];
  readonly #numbers = new Map<string, number>();

  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}
