import protobuf from 'protobufjs';

/** Returns the message without the fields of a number. Throws if the message is cut. */
export function removeField(message: Uint8Array, number: number): Uint8Array {
  const reader = protobuf.Reader.create(message);
  const kept: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const from = reader.pos;
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    if (tag >>> 3 !== number) kept.push(message.subarray(from, reader.pos));
  }
  return Buffer.concat(kept);
}
