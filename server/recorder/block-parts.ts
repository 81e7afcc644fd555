import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BlockColumns, LogRow } from './block-columns';

const level = 1;
/** Of JSON. Deflate sees 32 kB back; and who wants one observation inflates one part. */
const partChars = 32 * 1024;

/** The observations' texts: client by client, so that what is alike stands together, in deflated parts of some 32 kB. */
export interface PackedParts {
  /** How many observations each part holds. */
  readonly counts: readonly number[];
  readonly bytes: readonly Uint8Array[];
}

/** Observations in the order in which parts hold them: by client, then by seq. */
export function partOrder({ count, clients }: Pick<BlockColumns, 'count' | 'clients'>): Uint32Array {
  const order = new Uint32Array(count);
  for (let index = 0; index < count; index++) order[index] = index;
  return order.sort((a, b) => (clients[a] ?? 0) - (clients[b] ?? 0) || a - b);
}

export function packParts(rows: readonly LogRow[], order: Uint32Array): PackedParts {
  const counts: number[] = [];
  const bytes: Uint8Array[] = [];
  let texts: string[] = [];
  let chars = 0;
  const close = () => {
    if (texts.length === 0) return;
    counts.push(texts.length);
    bytes.push(deflateRawSync(texts.join('\n'), { level }));
    texts = [];
    chars = 0;
  };
  for (const index of order) {
    const json = rows[index]?.json ?? '';
    if (chars > 0 && chars + json.length > partChars) close();
    texts.push(json);
    chars += json.length;
  }
  close();
  return { counts, bytes };
}

/** JSON has no line feed outside of its strings, and inside them it is escaped. */
export function unpackPart(bytes: Uint8Array): string[] {
  return inflateRawSync(bytes).toString('utf8').split('\n');
}
