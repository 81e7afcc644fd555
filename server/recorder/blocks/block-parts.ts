import { ByteReader, ByteWriter } from '../../codec/byte-writer';
import { inflateBytes } from '../deflate';
import type { BlockColumns } from './block-columns';
import type { EncodedRows } from './encoded-rows';

/** The window of deflate is 32 kB, and reading one observation inflates one part. */
const partBytes = 32 * 1024;

/** The rows of a block in parts of some 32 kB, client by client, because similar neighbours compress better. */
interface RowParts {
  readonly counts: readonly number[];
  readonly parts: readonly Uint8Array[];
}

/** Returns the indices of observations in the order of the parts: by client, then by seq. */
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

/** Each row is preceded by its length. */
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

/** `starts` contains the offset of each row in `rows`. */
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
