/** The message states the expected and the actual input. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}
