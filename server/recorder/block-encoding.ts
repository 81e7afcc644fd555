import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type BlockColumns, type BlockTerms, emptyColumns } from './block-columns';
import { ByteReader, ByteWriter } from './byte-writer';

const level = 3;
/** Of both encodings below. */
const format = 1;

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
  return deflateRawSync(writer.finish(), { level });
}

export function decodeColumns(bytes: Uint8Array): BlockColumns {
  const reader = new ByteReader(inflateRawSync(bytes));
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

/** In the order of the file. */
function plainColumns(columns: BlockColumns): (Uint8Array | Uint32Array | Float64Array)[] {
  const { kinds, vantages, sources, clients, streams, types, errors, nonces, took } = columns;
  return [kinds, vantages, sources, clients, streams, types, errors, nonces, took];
}

export function encodeTerms({ hashes, offsets, ids }: BlockTerms): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(format);
  writer.varint(hashes.length);
  let before = 0;
  for (const hash of hashes) {
    writer.varint(hash - before);
    before = hash;
  }
  writer.varint(offsets.length);
  before = 0;
  for (const offset of offsets) {
    writer.varint(offset - before);
    before = offset;
  }
  for (const id of ids) writer.varint(id);
  return deflateRawSync(writer.finish(), { level });
}

export function decodeTerms(bytes: Uint8Array): BlockTerms {
  const reader = new ByteReader(inflateRawSync(bytes));
  assertFormat(reader.varint());
  const hashes = readSums(reader);
  const offsets = readSums(reader);
  const ids = new Uint32Array(offsets.at(-1) ?? 0);
  for (let index = 0; index < ids.length; index++) ids[index] = reader.varint();
  return { hashes, offsets, ids };
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

function assertFormat(found: number): void {
  if (found !== format) throw new Error(`block: expected format ${format}, got ${found}`);
}
