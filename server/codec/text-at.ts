/** A range of bytes as text; what is no UTF-8 in it is replaced by U+FFFD. Makes no view, where a Buffer was given. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  if (bytes instanceof Buffer) return bytes.toString(undefined, start, end);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}
