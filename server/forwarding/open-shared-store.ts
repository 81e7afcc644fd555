import { messageOf } from '@/lib/format/message-of';
import type { SharedStore } from '../config/config';
import { ConfigError } from '../config-error';
import { redactionKeyEntry } from '../redaction-key';
import { KeptValue } from '../store/kept-value';
import { openPostgres } from '../store/open-postgres';
import type { StoreDatabase } from '../store/schema';
import { StateStore } from '../store/state';
import { nameOfStore } from '../store/store-url';

export interface SharedDatabase {
  readonly database: StoreDatabase;
  readonly state: StateStore;
}

/**
 * Connects to the shared store. Throws if the key of the digests that replace secrets (its SHA-256) is not that of the other
 * processes: equal secrets would have different markers. The first process decides the key.
 */
export async function openSharedStore(url: string, redactionKey: string | null): Promise<SharedDatabase> {
  const database = await openPostgres({ url });
  try {
    const state = new StateStore({ database, onDamage: () => undefined });
    const shared = await KeptValue.open(state, redactionKeyEntry);
    await shared.change((before) => (before.sha256 === null ? { sha256: redactionKey } : before));
    const { sha256 } = shared.value;
    if (sha256 !== redactionKey) {
      throw new Error(
        `expected the redaction key of the other processes (SHA-256 ${sha256}), got another one (${redactionKey}): copy their redaction.key into the data directory, and restart`,
      );
    }
    return { database, state };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A web process must reach the store when it starts. Throws ConfigError. */
export async function openForWeb(
  { url, role }: SharedStore,
  redactionKey: string | null,
): Promise<SharedDatabase | undefined> {
  if (role !== 'web') return undefined;
  try {
    return await openSharedStore(url, redactionKey);
  } catch (error) {
    throw new ConfigError(`--store ${nameOfStore(url)}: ${messageOf(error)}`);
  }
}
