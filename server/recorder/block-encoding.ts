import { type BlockColumns, type BlockTerms, emptyColumns } from './block-columns';
import { ByteReader, ByteWriter } from './byte-writer';
import { undecodable } from './damaged-file';
import { inflateBytes } from './packing';

/** Of the columns, and of the terms in version 2 of the file. */
const format = 1;
const formatWithoutHashes = 2;

/** What encode...() make is stored deflated, but for the hashes. */
export function encodeColumns(columns: BlockColumns): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(format);
  writer.varint(columns.count);
  for (const list of [columns.seqs, columns.ats]) {
    let before = 0;
    for (const value of list) {
      writer.signed(value - before);
      before = value;
    }
  }
  for (const list of plainColumns(columns)) for (const value of list) writer.varint(value);
  writer.varint(columns.strings.length);
  for (const text of columns.strings) writer.text(text);
  return writer.finish();
}

export function decodeColumns(bytes: Uint8Array): BlockColumns {
  const reader = new ByteReader(inflateBytes(bytes));
  assertFormat(reader.varint(), format);
  const columns = emptyColumns(reader.varint());
  for (const list of [columns.seqs, columns.ats]) {
    let before = 0;
    for (let index = 0; index < list.length; index++) {
      before += reader.signed();
      list[index] = before;
    }
  }
  for (const list of plainColumns(columns)) {
    for (let index = 0; index < list.length; index++) list[index] = reader.varint();
  }
  const strings: string[] = [];
  for (let left = reader.varint(); left > 0; left--) strings.push(reader.text());
  return { ...columns, strings };
}

/** In the order of the file. */
function plainColumns(columns: BlockColumns): (Uint8Array | Uint32Array | Float64Array)[] {
  const { kinds, vantages, sources, clients, streams, types, errors, nonces, took } = columns;
  return [kinds, vantages, sources, clients, streams, types, errors, nonces, took];
}

/** Places only: the hashes are kept apart (encodeHashes). */
export function encodeTerms({ offsets, ids }: BlockTerms): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(formatWithoutHashes);
  writer.varint(offsets.length);
  let before = 0;
  for (const offset of offsets) {
    writer.varint(offset - before);
    before = offset;
  }
  for (const id of ids) writer.varint(id);
  return writer.finish();
}

/** 4 bytes each, least significant first, sorted: searched as they are. They look random, so deflate saves nothing. */
export function encodeHashes({ hashes }: BlockTerms): Uint8Array {
  const bytes = Buffer.alloc(4 * hashes.length);
  for (const [place, hash] of hashes.entries()) bytes.writeUInt32LE(hash, 4 * place);
  return bytes;
}

export function decodeHashes(bytes: Buffer): Uint32Array {
  const hashes = new Uint32Array(bytes.length / 4);
  for (let place = 0; place < hashes.length; place++) hashes[place] = bytes.readUInt32LE(4 * place);
  return hashes;
}

/** `hashes`: undefined in blocks of version 2 of the file, which have them in front. */
export function decodeTerms(bytes: Uint8Array, hashes: Uint32Array | undefined): BlockTerms {
  const reader = new ByteReader(inflateBytes(bytes));
  assertFormat(reader.varint(), hashes === undefined ? format : formatWithoutHashes);
  const sorted = hashes ?? readSums(reader);
  const offsets = readSums(reader);
  const ids = new Uint32Array(offsets.at(-1) ?? 0);
  for (let index = 0; index < ids.length; index++) ids[index] = reader.varint();
  return { hashes: sorted, offsets, ids };
}

function readSums(reader: ByteReader): Uint32Array {
  const list = new Uint32Array(reader.varint());
  let before = 0;
  for (let index = 0; index < list.length; index++) {
    before += reader.varint();
    list[index] = before;
  }
  return list;
}

function assertFormat(found: number, expected: number): void {
  if (found !== expected) throw undecodable(`block: expected format ${expected}, got ${found}`);
}
