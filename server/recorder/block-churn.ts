import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  type ChurnContent,
  type ChurnEntry,
  type ChurnResponse,
  churnEntryOf,
} from '@/lib/view-model/churn/churn-entry';
import type { LogRow } from './block-columns';
import { ByteReader, ByteWriter } from './byte-writer';
import { Interner } from './interner';

const level = 1;
const format = 1;

export function churnEntriesOf(rows: readonly LogRow[]): ChurnEntry[] {
  const entries: ChurnEntry[] = [];
  for (const { observation } of rows) {
    const entry = churnEntryOf(observation);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/**
 * What churn is counted from, some 10 bytes an observation: texts once, in front, and numbers into them. A response is
 * told by its type + 1 (0: a poll), and its contents share its type and version.
 */
export function encodeChurn(entries: readonly ChurnEntry[]): Uint8Array {
  const body = new ByteWriter();
  const texts = new Interner();
  const say = (text: string) => body.varint(texts.add(text));
  let before = 0;
  for (const { at, clientId, response, contents } of entries) {
    body.signed(at - before);
    before = at;
    say(clientId);
    if (response === null) body.varint(0);
    else writeResponse(body, texts, response);
    body.varint(contents.length);
    for (const { typeUrl, name, hash, version } of contents) {
      if (response === null) {
        say(typeUrl);
        say(version);
      }
      say(name);
      say(hash);
    }
  }
  const writer = new ByteWriter();
  writer.varint(format);
  writer.varint(texts.texts.length);
  for (const text of texts.texts) writer.text(text);
  writer.varint(entries.length);
  return deflateRawSync(Buffer.concat([writer.finish(), body.finish()]), { level });
}

function writeResponse(body: ByteWriter, texts: Interner, response: ChurnResponse): void {
  const { typeUrl, streamId, version, server, sizeBytes, repeats, total, isBare } = response;
  body.varint(texts.add(typeUrl) + 1);
  body.varint(texts.add(streamId));
  body.varint(texts.add(version));
  body.varint(texts.add(server));
  body.varint(sizeBytes);
  body.varint(repeats);
  body.varint(2 * total + (isBare ? 1 : 0));
}

/**
 * In the order of the log. Many clients are told the same content one after the other: that a resource had the content
 * that was told of it last is left out unless `withRepeats`, which who leaves out some of the entries needs.
 */
export function decodeChurn(bytes: Uint8Array, withRepeats: boolean): ChurnEntry[] {
  const reader = new ByteReader(inflateRawSync(bytes));
  const found = reader.varint();
  if (found !== format) throw new Error(`churn of a block: expected format ${format}, got ${found}`);
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

/** What was told last, by the number of the resource's name. */
class Repeats {
  private readonly hashes: Uint32Array;
  private readonly versions: string[] = [];
  private readonly types: string[] = [];

  constructor(texts: number) {
    this.hashes = new Uint32Array(texts);
  }

  isRepeat(name: number, hash: number, version: string, typeUrl: string): boolean {
    if (this.hashes[name] === hash && this.versions[name] === version && this.types[name] === typeUrl)
      return true;
    this.hashes[name] = hash;
    this.versions[name] = version;
    this.types[name] = typeUrl;
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
