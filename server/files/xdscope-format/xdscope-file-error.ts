/** A file of which nothing can be read. One line: what was expected, what came. */
export class XdscopeFileError extends Error {
  override readonly name = 'XdscopeFileError';

  constructor(
    readonly code: 'NOT_A_RECORDING' | 'OTHER_VERSION' | 'EMPTY',
    message: string,
  ) {
    super(message);
  }
}
