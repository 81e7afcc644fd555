import type { Body } from '@/server/observe';

/**
 * Returns bodies that retain no other memory. They are unchanged if they fill most of one buffer, else copied into one,
 * because a view of a 16 MB message would retain the message, and 100,000 small buffers would fragment memory.
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
