import { randomBytes } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod';
import { sha256 } from './codec/sha256';
import { ConfigError } from './config-error';
import { readDataFile, writeDataFile } from './data-dir';
import type { KeptValue, StateEntry } from './store/kept-value';

const keyBytes = 32;
const knownKey = z.object({ sha256: z.string().nullable() });

/** The SHA-256 of the key of the last start; null before the first. */
export const redactionKeyEntry: StateEntry<z.infer<typeof knownKey>> = {
  key: 'redaction-key',
  schema: knownKey,
  initial: { sha256: null },
};

/**
 * Returns the key of the digests that replace secrets. It remains in a file of the data directory, so that a secret has the
 * same marker after a restart and a rotation is visible. `changed`: a sentence if it is not the key of the last start.
 */
export async function readRedactionKey(
  dataDir: string,
  kept: KeptValue<z.infer<typeof knownKey>>,
): Promise<{ readonly key: Uint8Array; readonly changed?: string }> {
  const file = path.join(dataDir, 'redaction.key');
  const found = readDataFile(file);
  const key = found ?? randomBytes(keyBytes);
  // With a shorter key, for example an empty one, secrets could be guessed from their digests.
  if (key.length !== keyBytes) {
    throw new ConfigError(
      `${file}: expected a key of ${keyBytes} bytes, got ${key.length}: remove the file, and a new key is created`,
    );
  }
  if (found === undefined) writeDataFile(file, key);
  const known = kept.value.sha256;
  const sum = sha256(key);
  if (known === sum) return { key };
  await kept.change(() => ({ sha256: sum }));
  if (known === null) return { key };
  const was = found === undefined ? 'removed' : 'changed';
  const effect = 'markers of equal secrets differ from those that were recorded before';
  return {
    key,
    changed: `${file} was ${was} since the last start, so ${effect}: put back a copy unless this was intended`,
  };
}
