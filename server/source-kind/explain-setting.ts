import { ConfigError } from '../config-error';
import { SettingError } from './setting-error';

/** Options for all sources, whose errors name the flag. */
const flagsOfFields = new Map([
  ['targets', 'target'],
  ['serverListeners', 'server-listener'],
]);

/** Throws ConfigError with the place of a setting that is not valid. */
export function explainSetting<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const flag = flagsOfFields.get(error.field);
    throw new ConfigError(
      flag === undefined ? `${where}.${error.message}` : `--${flag}: ${error.expectedAndGot}`,
    );
  }
}
