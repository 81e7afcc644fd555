import { LRUCache } from 'lru-cache';
import type { Connection } from '@/lib/observation/connection';
import { inSlices } from '../../workers/threads/in-slices';

/** The connections of a large client for the graph worker: its main thread encodes them once, in steps, and shares the bytes. */
export interface EncodedConnections {
  readonly id: number;
  readonly bytes: SharedArrayBuffer;
}

const encoded = new WeakMap<readonly Connection[], Promise<EncodedConnections>>();
let newestId = 0;

/** Equal arrays of connections have one encoding. */
export function encodeConnections(connections: readonly Connection[]): Promise<EncodedConnections> {
  const known = encoded.get(connections) ?? encode(connections);
  encoded.set(connections, known);
  return known;
}

async function encode(connections: readonly Connection[]): Promise<EncodedConnections> {
  const parts = [Buffer.from('[')];
  await inSlices(connections, (each) =>
    parts.push(Buffer.from(`${parts.length === 1 ? '' : ','}${JSON.stringify(each)}`)),
  );
  parts.push(Buffer.from(']'));
  const bytes = new SharedArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0));
  const target = new Uint8Array(bytes);
  let end = 0;
  for (const part of parts) {
    target.set(part, end);
    end += part.length;
  }
  newestId += 1;
  return { id: newestId, bytes };
}

const decodedKept = 4;

/** The worker's end. */
export class DecodedConnections {
  readonly #known = new LRUCache<number, readonly Connection[]>({ max: decodedKept });

  decode({ id, bytes }: EncodedConnections): readonly Connection[] {
    const known = this.#known.get(id) ?? (JSON.parse(Buffer.from(bytes).toString()) as readonly Connection[]);
    this.#known.set(id, known);
    return known;
  }
}
