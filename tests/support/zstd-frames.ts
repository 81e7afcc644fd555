/** A zstd frame (RFC 8878) of raw blocks: nothing is smaller for it, and every reader takes it. */
export function asZstd(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528, 0);
  // Single segment, four bytes of size.
  header[4] = 0b1010_0000;
  header.writeUInt32LE(bytes.length, 5);
  const parts = [header];
  const blockBytes = 64 * 1024;
  for (let at = 0; at === 0 || at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    const isLast = at + blockBytes >= bytes.length;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}
