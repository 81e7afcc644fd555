import type { BlockColumns } from './block-columns';
import { inflateBytes } from './packing';

/** Of UTF-8. Deflate sees 32 kB back; and who wants one observation inflates one part. */
const partBytes = 32 * 1024;
const lineFeed = 0x0a;

/** The observations' texts: client by client, so that what is alike stands together, in parts of some 32 kB. */
export interface TextParts {
  /** How many observations each part holds. */
  readonly counts: readonly number[];
  /** To be stored deflated. */
  readonly texts: readonly Uint8Array[];
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

export function joinParts(texts: readonly Uint8Array[], order: Uint32Array): TextParts {
  const counts: number[] = [];
  const joined: Uint8Array[] = [];
  let from = 0;
  let size = 0;
  const close = (until: number) => {
    if (until === from) return;
    const part = Buffer.allocUnsafe(size - 1);
    let offset = 0;
    for (let place = from; place < until; place++) {
      const text = texts[order[place] ?? 0];
      if (text === undefined) continue;
      if (place > from) part[offset++] = lineFeed;
      part.set(text, offset);
      offset += text.length;
    }
    counts.push(until - from);
    joined.push(part);
    from = until;
    size = 0;
  };
  for (let place = 0; place < order.length; place++) {
    const length = texts[order[place] ?? 0]?.length ?? 0;
    if (size > 0 && size + length > partBytes) close(place);
    size += length + 1;
  }
  close(order.length);
  return { counts, texts: joined };
}

/** JSON has no line feed outside of its strings, and inside them it is escaped. */
export function unpackPart(bytes: Uint8Array): string[] {
  return inflateBytes(bytes).toString('utf8').split('\n');
}
