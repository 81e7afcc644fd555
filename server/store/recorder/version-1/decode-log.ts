import type { Observation, Recorded } from '@/lib/observation/observation';
import { ByteReader } from '../../../codec/byte-writer';
import { inflateBytes } from '../../deflate';
import { undecodable } from '../damaged-file';
import { RowDecoder } from './row-decoder';
import { StoredVocabulary } from './vocabulary';

const format = 1;

/** A block as it is stored: `parts` have the rows of its observations, client by client, and `partCounts` their numbers. */
export interface StoredBlock {
  readonly columns: Uint8Array;
  readonly vocabulary: Uint8Array;
  readonly partCounts: readonly number[];
  readonly parts: readonly Uint8Array[];
}

/** Returns the observations of a block in the order of seq. */
export function decodeBlock({ columns, vocabulary, partCounts, parts }: StoredBlock): Recorded[] {
  const { seqs, clients, texts } = decodeColumns(columns);
  const order = partOrder(clients, texts);
  const decoder = new RowDecoder(new StoredVocabulary(inflateBytes(vocabulary)));
  const found = new Array<Recorded>(seqs.length);
  let next = 0;
  for (const [part, count] of partCounts.entries()) {
    const rows = inflateBytes(parts[part] ?? new Uint8Array());
    const reader = new ByteReader(rows);
    for (let left = count; left > 0; left--) {
      const length = reader.varint();
      const index = order[next++] ?? 0;
      found[index] = recorded(decoder.decode(rows, reader.offset), seqs[index]);
      reader.skip(length);
    }
  }
  if (next !== seqs.length) throw undecodable(`block: expected ${seqs.length} rows, got ${next}`);
  return found;
}

/** Returns the observations of a batch that was waiting for a block. */
export function decodeBatch(bytes: Uint8Array): Recorded[] {
  const reader = new ByteReader(inflateBytes(bytes));
  assertFormat(reader.varint());
  const count = reader.varint();
  const seqs = readSums(count, () => reader.varint());
  const ends = readSums(count, () => reader.varint());
  const decoder = new RowDecoder(new StoredVocabulary(reader.bytesOf(reader.varint())));
  const rows = reader.bytesOf(ends.at(-1) ?? 0);
  return Array.from(seqs, (seq, index) => recorded(decoder.decode(rows, ends[index - 1] ?? 0), seq));
}

function recorded(observation: Observation, seq = 0): Recorded {
  return Object.assign(observation, { seq });
}

/** The columns are seqs, times, kinds, vantages, sources, clients, streams, types, errors, nonces and durations, then the texts. */
function decodeColumns(bytes: Uint8Array) {
  const reader = new ByteReader(inflateBytes(bytes));
  assertFormat(reader.varint());
  const count = reader.varint();
  const seqs = readSums(count, () => reader.signed());
  const skip = (columns: number) => {
    for (let left = columns * count; left > 0; left--) reader.varint();
  };
  readSums(count, () => reader.signed());
  skip(3);
  const clients = Uint32Array.from({ length: count }, () => reader.varint());
  skip(5);
  return { seqs, clients, texts: reader.varint() };
}

function readSums(count: number, read: () => number): Float64Array {
  let sum = 0;
  return Float64Array.from({ length: count }, () => {
    sum += read();
    return sum;
  });
}

/** Returns the indices of observations in the order of the parts: by the number of the client, then by seq. */
function partOrder(clients: Uint32Array, texts: number): Uint32Array {
  const ends = new Uint32Array(texts + 1);
  for (const client of clients) ends[client + 1] = (ends[client + 1] ?? 0) + 1;
  for (let client = 1; client < ends.length; client++)
    ends[client] = (ends[client] ?? 0) + (ends[client - 1] ?? 0);
  const order = new Uint32Array(clients.length);
  for (const [index, client] of clients.entries()) {
    const place = ends[client] ?? 0;
    order[place] = index;
    ends[client] = place + 1;
  }
  return order;
}

function assertFormat(found: number): void {
  if (found !== format) throw undecodable(`expected rows of format ${format}, got ${found}`);
}
