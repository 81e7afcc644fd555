/** Bytes of a document that may still come in: who has gone through those that are there waits for more. */
export interface ByteSource {
  /** The first `length` of them are there. Another, larger buffer may take its place when more come. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Waits until there are more, and holds up its thread meanwhile; false: there are no more. */
  grow(): boolean;
}

export type Bytes = Uint8Array | ByteSource;

export function sourceOf(bytes: Bytes): ByteSource {
  return bytes instanceof Uint8Array ? { bytes, length: bytes.length, grow: () => false } : bytes;
}

/** Waits until this byte is there; false: the document ends before it. */
export function reaches(source: ByteSource, at: number): boolean {
  while (at >= source.length) if (!source.grow()) return false;
  return true;
}

/** Waits for all of it. */
export function wholeOf(source: ByteSource): Uint8Array {
  while (source.grow());
  return source.bytes.subarray(0, source.length);
}
