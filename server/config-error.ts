/** The configuration does not allow a start. The message is one line with the expected and the actual value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
