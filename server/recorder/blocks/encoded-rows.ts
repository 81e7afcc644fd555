import type { Observation, Recorded } from '@/lib/observation/observation';
import { ByteReader, ByteWriter } from '../../codec/byte-writer';
import { undecodable } from '../damaged-file';
import { RowDecoder } from './row-decoder';
import { RowEncoder } from './row-encoder';
import { StoredVocabulary } from './vocabulary';

const format = 1;

export interface EncodedRows {
  readonly seqs: Float64Array;
  /** The rows follow one another in the format of row-tags.ts. */
  readonly rows: Uint8Array;
  readonly ends: Uint32Array;
  readonly vocabulary: Uint8Array;
}

export function encodeRows(rows: Iterable<Recorded>): EncodedRows {
  const encoder = new RowEncoder();
  const seqs: number[] = [];
  const ends: number[] = [];
  for (const row of rows) {
    encoder.add(row);
    seqs.push(row.seq);
    ends.push(encoder.length);
  }
  return {
    seqs: Float64Array.from(seqs),
    rows: encoder.rows(),
    ends: Uint32Array.from(ends),
    vocabulary: encoder.vocabulary(),
  };
}

/** At most one observation at a time is in memory as an object. */
export function* decodeRows({ seqs, rows, ends, vocabulary }: EncodedRows, first = 0): Generator<Recorded> {
  if (first >= seqs.length) return;
  const decoder = new RowDecoder(new StoredVocabulary(vocabulary));
  for (let index = first; index < seqs.length; index++) {
    const row = decoder.decode(rows, ends[index - 1] ?? 0) as Observation & { seq: number };
    row.seq = seqs[index] ?? 0;
    yield row;
  }
}

export function packRows({ seqs, rows, ends, vocabulary }: EncodedRows): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(format);
  writer.varint(seqs.length);
  let before = 0;
  for (const seq of seqs) {
    writer.varint(seq - before);
    before = seq;
  }
  let from = 0;
  for (const end of ends) {
    writer.varint(end - from);
    from = end;
  }
  writer.varint(vocabulary.length);
  writer.bytes(vocabulary);
  writer.bytes(rows);
  return writer.finish();
}

export function unpackRows(bytes: Uint8Array): EncodedRows {
  const reader = new ByteReader(bytes);
  const found = reader.varint();
  if (found !== format) throw undecodable(`rows: expected format ${format}, got ${found}`);
  const count = reader.varint();
  const seqs = new Float64Array(count);
  let seq = 0;
  for (let index = 0; index < count; index++) {
    seq += reader.varint();
    seqs[index] = seq;
  }
  const ends = new Uint32Array(count);
  let end = 0;
  for (let index = 0; index < count; index++) {
    end += reader.varint();
    ends[index] = end;
  }
  const vocabulary = reader.bytesOf(reader.varint());
  return { seqs, ends, vocabulary, rows: reader.bytesOf(end) };
}
