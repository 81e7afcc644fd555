/** Nothing of the file can be read. The message has one line, with the expected and the actual content. */
export class XdscopeFileError extends Error {
  override readonly name = 'XdscopeFileError';

  constructor(
    readonly code: 'NOT_A_RECORDING' | 'OTHER_VERSION' | 'EMPTY',
    message: string,
  ) {
    super(message);
  }
}
