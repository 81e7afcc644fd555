/** A start that is not possible as configured. The message is one line with the expected and the actual value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
