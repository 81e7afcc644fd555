/** The bytes of a document that may still be arriving. */
export interface ByteSource {
  /** The first `length` bytes have arrived. grow() may replace the buffer by a larger one. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Blocks the thread until more bytes have arrived, and returns false at the end of the document. */
  grow(): boolean;
}

export type Bytes = Uint8Array | ByteSource;

export function sourceOf(bytes: Bytes): ByteSource {
  return bytes instanceof Uint8Array ? { bytes, length: bytes.length, grow: () => false } : bytes;
}

/** Blocks until the byte at `at` has arrived, and returns false if the document ends before it. */
export function reaches(source: ByteSource, at: number): boolean {
  while (at >= source.length) if (!source.grow()) return false;
  return true;
}

/** Blocks until the whole document has arrived. */
export function wholeOf(source: ByteSource): Uint8Array {
  while (source.grow());
  return source.bytes.subarray(0, source.length);
}
