import type { Body } from '@/server/observe';

/**
 * Bodies that keep nothing alive but each other: as they are when they fill most of one buffer, or else copied into one.
 * A view of a message of 16 MB would keep the message; a buffer for each of 100,000 would leave memory full of holes.
 */
export function ownBodies(bodies: readonly Body[]): readonly Body[] {
  const [first] = bodies;
  if (first === undefined) return bodies;
  const { buffer } = first.bytes;
  const sizeBytes = bodies.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  const areTogether = bodies.every(({ bytes }) => bytes.buffer === buffer);
  if (areTogether && sizeBytes * 2 >= buffer.byteLength) return bodies;
  const own = new Uint8Array(sizeBytes);
  let offset = 0;
  return bodies.map((body) => {
    const bytes = own.subarray(offset, offset + body.bytes.byteLength);
    bytes.set(body.bytes);
    offset += bytes.length;
    return { ...body, bytes };
  });
}
