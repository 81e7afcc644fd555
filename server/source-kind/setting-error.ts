/** A setting that cannot be used. The message is one line with the setting and the expected and actual value. */
export class SettingError extends Error {
  override readonly name = 'SettingError';

  constructor(
    /** The path of the setting, as in "tls.privateKeyFile". */
    readonly field: string,
    readonly expectedAndGot: string,
  ) {
    super(`${field}: ${expectedAndGot}`);
  }
}
