/** RFC 9113 section 6. */
export const frameTypes = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = { ack: 1, endStream: 1, endHeaders: 4 } as const;

const headBytes = 9;

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  bytes.set(payload, headBytes);
  return bytes;
}

/** An unsigned integer of four octets, in network byte order. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
