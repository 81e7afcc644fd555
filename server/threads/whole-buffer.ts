/** A thread is sent the whole buffer behind a view: a small view of a large buffer is copied first. */
export function wholeBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
