import protobuf from 'protobufjs';

/** Reads strings that are no UTF-8 with replacement characters (U+FFFD) where protobuf refuses the whole message. */
export class LenientReader extends protobuf.Reader {
  override string(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  override stringVerify(): string {
    return this.string();
  }
}
