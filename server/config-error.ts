/** A start that cannot be made as asked. One line for a person: what was expected, what came. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
