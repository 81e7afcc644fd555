/** What went wrong with a message, in words for a person: what was expected, what came. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}
