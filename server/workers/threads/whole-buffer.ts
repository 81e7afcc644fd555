/** Copies a view of a larger buffer, because postMessage clones the whole buffer behind a view. */
export function wholeBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
