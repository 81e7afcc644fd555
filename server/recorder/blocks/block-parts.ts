import { ByteReader, ByteWriter } from '../../codec/byte-writer';
import { inflateBytes } from '../deflate';
import type { BlockColumns } from './block-columns';
import type { EncodedRows } from './encoded-rows';

/** Deflate sees 32 kB back; and who wants one observation inflates one part. */
const partBytes = 32 * 1024;

/** The observations' rows: client by client, so that what is alike stands together, in parts of some 32 kB. */
export interface RowParts {
  /** How many observations each part holds. */
  readonly counts: readonly number[];
  /** To be stored deflated. */
  readonly parts: readonly Uint8Array[];
}

/** Observations in the order in which parts hold them: by client, then by seq. */
export function partOrder({ count, clients, strings }: Pick<BlockColumns, 'count' | 'clients' | 'strings'>) {
  const ends = new Uint32Array(strings.length + 1);
  for (let index = 0; index < count; index++) {
    const next = (clients[index] ?? 0) + 1;
    ends[next] = (ends[next] ?? 0) + 1;
  }
  for (let client = 1; client < ends.length; client++)
    ends[client] = (ends[client] ?? 0) + (ends[client - 1] ?? 0);
  const order = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const client = clients[index] ?? 0;
    const place = ends[client] ?? 0;
    order[place] = index;
    ends[client] = place + 1;
  }
  return order;
}

/** Each row comes after its length. */
export function joinParts({ rows, ends }: Pick<EncodedRows, 'rows' | 'ends'>, order: Uint32Array): RowParts {
  const counts: number[] = [];
  const parts: Uint8Array[] = [];
  let part = new ByteWriter();
  let count = 0;
  const close = () => {
    if (count === 0) return;
    counts.push(count);
    parts.push(part.finish());
    part = new ByteWriter();
    count = 0;
  };
  for (const index of order) {
    const from = ends[index - 1] ?? 0;
    const to = ends[index] ?? 0;
    if (part.length + to - from > partBytes) close();
    part.varint(to - from);
    part.piece(rows, from, to);
    count += 1;
  }
  close();
  return { counts, parts };
}

/** A part in memory, with where each of its rows begins. */
export interface StoredPart {
  readonly rows: Uint8Array;
  readonly starts: Uint32Array;
}

export function unpackPart(bytes: Uint8Array, count: number): StoredPart {
  const rows = inflateBytes(bytes);
  const reader = new ByteReader(rows);
  const starts = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const length = reader.varint();
    starts[index] = reader.offset;
    reader.skip(length);
  }
  return { rows, starts };
}
