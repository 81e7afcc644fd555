import { ByteReader, ByteWriter } from '../../codec/byte-writer';
import { undecodable } from '../damaged-file';
import { inflateBytes } from '../deflate';
import { type BlockColumns, type BlockTerms, emptyColumns } from './block-columns';

const format = 1;

/** Returns bytes that are not deflated yet; so does encodeTerms(). */
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
  assertFormat(reader.varint());
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

function plainColumns(columns: BlockColumns): (Uint8Array | Uint32Array | Float64Array)[] {
  const { kinds, vantages, sources, clients, streams, types, errors, nonces, took } = columns;
  return [kinds, vantages, sources, clients, streams, types, errors, nonces, took];
}

/** The hashes are left out; encodeHashes() encodes them. */
export function encodeTerms({ offsets, ids }: BlockTerms): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(format);
  writer.varint(offsets.length);
  let before = 0;
  for (const offset of offsets) {
    writer.varint(offset - before);
    before = offset;
  }
  for (const id of ids) writer.varint(id);
  return writer.finish();
}

/** 32 bits each, little-endian and sorted. They are stored without deflation, which does not make hashes smaller. */
export function encodeHashes({ hashes }: BlockTerms): Uint8Array {
  const bytes = Buffer.alloc(4 * hashes.length);
  for (const [place, hash] of hashes.entries()) bytes.writeUInt32LE(hash, 4 * place);
  return bytes;
}

export function decodeHashes(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hashes = new Uint32Array(bytes.length / 4);
  for (let place = 0; place < hashes.length; place++) hashes[place] = view.getUint32(4 * place, true);
  return hashes;
}

export function decodeTerms(bytes: Uint8Array, hashes: Uint32Array): BlockTerms {
  const reader = new ByteReader(inflateBytes(bytes));
  assertFormat(reader.varint());
  const offsets = new Uint32Array(reader.varint());
  let before = 0;
  for (let index = 0; index < offsets.length; index++) {
    before += reader.varint();
    offsets[index] = before;
  }
  const ids = new Uint32Array(offsets.at(-1) ?? 0);
  for (let index = 0; index < ids.length; index++) ids[index] = reader.varint();
  return { hashes, offsets, ids };
}

function assertFormat(found: number): void {
  if (found !== format) throw undecodable(`block: expected format ${format}, got ${found}`);
}
