import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { isAccessToken } from './config/access-token-setting';
import type { Config } from './config/config';
import { ConfigError } from './config-error';
import { readDataFile, writeDataFile } from './data-dir';

const tokenBytes = 24;

/**
 * Returns the token that requests must have, or undefined if none is required. A generated token remains in the data dir,
 * so that cookies and scripts work after a restart.
 */
export function readAccessToken({ token, dataDir }: Pick<Config, 'token' | 'dataDir'>): string | undefined {
  if (token === 'none') return undefined;
  if (token !== 'generated') return token.value;
  const file = path.join(dataDir, 'access-token');
  const kept = readDataFile(file)?.toString('utf8').trim();
  if (kept === undefined) {
    const generated = randomBytes(tokenBytes).toString('base64url');
    writeDataFile(file, `${generated}\n`);
    return generated;
  }
  // An empty or short token could be guessed.
  if (isAccessToken(kept)) return kept;
  throw new ConfigError(
    `${file}: expected a token of 16 to 256 letters, digits and "-._~", got ${kept.length} characters: remove the file, and a new token is generated`,
  );
}
