import type { Body } from './observe';

/** Bodies one after the other in a buffer of their own, which is transferred. */
export interface PackedBodies {
  readonly bytes: ArrayBuffer;
  readonly entries: readonly (Omit<Body, 'bytes'> & { readonly sizeBytes: number })[];
}

/** Copies the bodies, because a body may be a small view of a message of 119 MB. */
export function packBodies(bodies: readonly Body[]): PackedBodies {
  const packed = new Uint8Array(bodies.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let offset = 0;
  const entries = bodies.map(({ hash, typeUrl, bytes }) => {
    packed.set(bytes, offset);
    offset += bytes.length;
    return { hash, typeUrl, sizeBytes: bytes.length };
  });
  return { bytes: packed.buffer, entries };
}

export function unpackBodies({ bytes, entries }: PackedBodies): Body[] {
  let offset = 0;
  return entries.map(({ hash, typeUrl, sizeBytes }) => {
    const body = { hash, typeUrl, bytes: new Uint8Array(bytes, offset, sizeBytes) };
    offset += sizeBytes;
    return body;
  });
}
