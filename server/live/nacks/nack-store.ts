import { createHash } from 'node:crypto';
import { NackIndex } from '@/lib/nacks/nack-index';
import type { ClientState } from '@/lib/observation/client-state';
import type { ClientConfigChanged, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { StreamChange } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { LogFold } from '../log-folds/log-follower';

interface NackStoreOptions {
  readonly clock: Clock;
  readonly publish: (change: StreamChange) => void;
}

const gatherMs = 200;
const idsReported = 500;

/** The groups of NACKs, from the log and from later observations. */
export class NackStore implements LogFold {
  readonly #options: NackStoreOptions;
  readonly book = new NackIndex({
    idOf: (key) => createHash('sha256').update(key).digest('hex').slice(0, 16),
  });
  isRestoring = true;
  /** The time of the oldest observation that was read, or null for the beginning of the log. */
  since: EpochMs | null = null;
  #touched = new Set<string>();
  /** Clients of removed files. */
  readonly #removed = new Set<string>();
  #timer: { cancel(): void } | undefined;

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
    this.#publish();
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

  close(): void {
    this.#timer?.cancel();
  }

  #take(changed: Iterable<string>): void {
    for (const id of changed) this.#touched.add(id);
    this.#publishSoon();
  }

  #publishSoon(): void {
    if (this.isRestoring || this.#touched.size === 0) return;
    this.#timer ??= this.#options.clock.setTimeout(() => this.#publish(), gatherMs);
  }

  #publish(): void {
    this.#timer = undefined;
    const ids = [...this.#touched].slice(0, idsReported);
    this.#touched = new Set();
    this.#options.publish({ type: 'nacks', ids });
  }
}
