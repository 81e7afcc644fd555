/** A setting that cannot be used: which, what was expected, what came. One line. */
export class SettingError extends Error {
  override readonly name = 'SettingError';

  constructor(
    /** As it was written, as in "tls.privateKeyFile". */
    readonly field: string,
    readonly expectedAndGot: string,
  ) {
    super(`${field}: ${expectedAndGot}`);
  }
}
