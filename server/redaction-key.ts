import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The key of the digests that stand for redacted secrets. Kept in the data dir, so that the same secret has the same
 * marker after a restart (a rotation is seen), and never leaves it.
 */
export function readRedactionKey(dataDir: string): Uint8Array {
  const file = path.join(dataDir, 'redaction.key');
  if (existsSync(file)) return readFileSync(file);
  const key = randomBytes(32);
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}
