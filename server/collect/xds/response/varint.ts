/** Returns the end of the varint, or -1 if it has more than four bytes or is incomplete. */
export function skipVarint(bytes: Uint8Array, start: number): number {
  for (let position = start; position < start + 4 && position < bytes.length; position++) {
    if ((bytes[position] ?? 0) < 0x80) return position + 1;
  }
  return -1;
}

/** Reads a varint of at most four bytes. */
export function readVarint(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let position = end - 1; position >= start; position--) {
    value = (value << 7) | ((bytes[position] ?? 0) & 0x7f);
  }
  return value;
}
