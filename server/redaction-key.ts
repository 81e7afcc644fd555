import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { writeCheckedFile } from './checked-files';
import { ConfigError } from './config-error';
import { readDataFile } from './data-dir';

const keyBytes = 32;

/**
 * Returns the key of the digests that replace secrets. It remains in the data dir, so that a secret has the same marker
 * after a restart and a rotation is visible.
 */
export function readRedactionKey(dataDir: string): Uint8Array {
  const file = path.join(dataDir, 'redaction.key');
  const kept = readDataFile(file);
  if (kept === undefined) {
    const key = randomBytes(keyBytes);
    writeCheckedFile(file, key);
    return key;
  }
  // With a shorter key, for example an empty one, secrets could be guessed from their digests.
  if (kept.length === keyBytes) return kept;
  throw new ConfigError(
    `${file}: expected a key of ${keyBytes} bytes, got ${kept.length}: remove the file, and a new key is created`,
  );
}
