import { createHash } from 'node:crypto';
import { NackIndex } from '@/lib/nacks/nack-index';
import type { ClientState } from '@/lib/observation/client-state';
import type { ClientConfigChanged, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { StreamNotice } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { LogFold } from '../log-folds/log-follower';

interface NackStoreOptions {
  readonly clock: Clock;
  readonly publish: (notice: StreamNotice) => void;
}

/** The groups of NACKs, from the log and from later observations. */
export class NackStore implements LogFold {
  readonly #options: NackStoreOptions;
  readonly book = new NackIndex({
    idOf: (key) => createHash('sha256').update(key).digest('hex').slice(0, 16),
  });
  isRestoring = true;
  /** The time of the oldest observation that was read, or null for the beginning of the log. */
  since: EpochMs | null = null;
  /** Clients of removed files. */
  readonly #removed = new Set<string>();

  constructor(options: NackStoreOptions) {
    this.#options = options;
  }

  /** The fold uses the parsed fields only. */
  mayMatter(clientId: string | null, json: string): boolean {
    if (clientId !== null && this.book.hasOpen(clientId)) return true;
    return json.includes('"NACKED"') || json.includes('"ERROR"') || json.includes('"nack-sent"');
  }

  fold(observation: Recorded): void {
    this.#take(this.book.fold(observation));
  }

  adopt(report: Recorded<ClientConfigChanged>, row: ResourceState): void {
    const { clientId } = report;
    if (row.clientStatus !== 'NACKED' || this.book.findOpen(clientId, row) !== undefined) return;
    this.fold(report);
  }

  restored(since: EpochMs | null): void {
    this.since = since;
    this.isRestoring = false;
    this.#options.publish('nacks');
  }

  /** The client was evicted from the live state. Resolves when the groups are changed. */
  async forget({ clientId, seq, reports }: ClientState): Promise<void> {
    if (isImportedClient({ reports: [...reports.values()] })) {
      this.#removed.add(clientId);
      // A removed file may have thousands of clients, whose NACKs are searched for together.
      await Promise.resolve();
      this.#take(this.book.removeClients(this.#removed));
      this.#removed.clear();
    } else this.#take(this.book.forgetClient(clientId, this.#options.clock.now(), seq));
  }

  #take(changed: ReadonlySet<string>): void {
    if (changed.size > 0 && !this.isRestoring) this.#options.publish('nacks');
  }
}
