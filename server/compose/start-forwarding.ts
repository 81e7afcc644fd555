import { randomUUID } from 'node:crypto';
import type { SharedStore } from '../config/config';
import { collectorEntry } from '../forwarding/collector-entry';
import { Forwarder, type Forwarding } from '../forwarding/forwarder';
import { redactionKeyEntry } from '../redaction-key';
import { KeptValue } from '../store/kept-value';
import { openPostgres } from '../store/open-postgres';
import type { StoreDatabase } from '../store/schema';
import { StateStore } from '../store/state';
import type { Storage } from './open-storage';

export interface StartedForwarding {
  /** host:port/database, without user and password. */
  readonly target: string;
  readonly state: Forwarding;
  close(): Promise<void>;
}

/** Starts to copy the recording into the shared store. */
export async function startForwarding(
  { url }: SharedStore,
  { clock, recorder, state, kept }: Pick<Storage, 'clock' | 'recorder' | 'state' | 'kept'>,
): Promise<StartedForwarding> {
  const known = await KeptValue.open(state, collectorEntry);
  if (known.value.id === '') await known.change(() => ({ id: randomUUID() }));
  const forwarder = new Forwarder({
    ...{ clock, recorder, collector: known.value.id },
    open: () => openShared(url, kept.redactionKey.value.sha256),
  });
  forwarder.start();
  return {
    target: targetOf(url),
    get state() {
      return forwarder.state;
    },
    close: () => forwarder.close(),
  };
}

/**
 * Throws if the key of the digests that replace secrets is not that of the other collectors: equal secrets would have different
 * markers.
 */
async function openShared(url: string, redactionKey: string | null): Promise<StoreDatabase> {
  const store = await openPostgres({ url, maxConnections: 2 });
  try {
    const shared = await KeptValue.open(
      new StateStore({ database: store, onDamage: () => undefined }),
      redactionKeyEntry,
    );
    await shared.change((before) => (before.sha256 === null ? { sha256: redactionKey } : before));
    const { sha256 } = shared.value;
    if (sha256 !== redactionKey) {
      throw new Error(
        `expected the redaction key of the other collectors (SHA-256 ${sha256}), got another one (${redactionKey}): copy their redaction.key into the data directory, and restart`,
      );
    }
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function targetOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
