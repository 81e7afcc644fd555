import { sha256 } from '@/server/codec/sha256';
import type { Body } from '@/server/observe';

/**
 * Encodes the type URL with its length (2 bytes), and the bytes with their length (4 bytes). The hash is computed when
 * the file is read.
 */
export function encodeBody({ typeUrl, bytes }: Body): Buffer {
  const name = Buffer.from(typeUrl, 'utf8');
  const head = Buffer.alloc(6 + name.length);
  head.writeUInt16BE(name.length, 0);
  name.copy(head, 2);
  head.writeUInt32BE(bytes.byteLength, 2 + name.length);
  return Buffer.concat([head, bytes]);
}

/** The size of encodeBody(); undefined for a body that cannot be encoded. */
export function encodedBodyBytes({ typeUrl, bytes }: Body): number | undefined {
  const nameBytes = Buffer.byteLength(typeUrl);
  return nameBytes > 0xffff ? undefined : 6 + nameBytes + bytes.byteLength;
}

/** Throws if the content is truncated. */
export function decodeBodies(content: Buffer): Body[] {
  const bodies: Body[] = [];
  for (let offset = 0; offset < content.length; ) {
    const nameEnd = offset + 2 + content.readUInt16BE(offset);
    const from = nameEnd + 4;
    const to = from + content.readUInt32BE(nameEnd);
    if (to > content.length) throw new Error(`expected a body up to byte ${to}, got ${content.length} bytes`);
    // A view would keep the whole block in memory.
    const bytes = new Uint8Array(content.subarray(from, to));
    const hash = sha256(bytes);
    bodies.push({ hash, typeUrl: content.toString('utf8', offset + 2, nameEnd), bytes });
    offset = to;
  }
  return bodies;
}
