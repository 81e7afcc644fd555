/** An error that states the expected and the actual input in its message. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}
