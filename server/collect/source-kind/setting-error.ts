import { ConfigError } from '../../config-error';

/** A setting that cannot be used. The message is one line with the setting and the expected and actual value. */
export class SettingError extends Error {
  override readonly name = 'SettingError';

  constructor(
    /** The path of the setting, as in "tls.privateKeyFile", or the flag of a setting of all sources, as in "--target". */
    readonly field: string,
    expectedAndGot: string,
  ) {
    super(`${field}: ${expectedAndGot}`);
  }
}

/** Throws a SettingError of `read` as a ConfigError that has `where` before its path. */
export function explainSetting<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new ConfigError(error.field.startsWith('--') ? error.message : `${where}.${error.message}`);
  }
}
