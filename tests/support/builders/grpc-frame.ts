/** A length-prefixed message of gRPC over HTTP/2. */
export function grpcFrame(message: Uint8Array | string, isCompressed = false): Buffer {
  const bytes = Buffer.from(message);
  const header = Buffer.of(isCompressed ? 1 : 0, 0, 0, 0, 0);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}
