const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesOfText(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/** Throws a RangeError if the bytes are not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RangeError(`expected a text in UTF-8, got ${bytes.byteLength} bytes that are none`);
  }
}
