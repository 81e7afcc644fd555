import type { EpochMs } from '@/lib/xds/units';

interface GoneClient {
  readonly goneAt: EpochMs;
  readonly sourceIds: readonly string[];
}

/** The clients that no source reports, in the order in which they disappeared: over all sources, and by source. */
export class GoneClients {
  readonly #clients = new Map<string, GoneClient>();
  readonly #bySource = new Map<string, Set<string>>();

  get size(): number {
    return this.#clients.size;
  }

  /** Adds the newest one. `sourceIds`: the sources that have a report on it. */
  add(clientId: string, goneAt: EpochMs, sourceIds: Iterable<string>): void {
    this.delete(clientId);
    const sources = [...sourceIds];
    this.#clients.set(clientId, { goneAt, sourceIds: sources });
    for (const sourceId of sources) {
      const clients = this.#bySource.get(sourceId);
      if (clients === undefined) this.#bySource.set(sourceId, new Set([clientId]));
      else clients.add(clientId);
    }
  }

  delete(clientId: string): void {
    const known = this.#clients.get(clientId);
    if (known === undefined) return;
    this.#clients.delete(clientId);
    for (const sourceId of known.sourceIds) {
      const clients = this.#bySource.get(sourceId);
      clients?.delete(clientId);
      if (clients?.size === 0) this.#bySource.delete(sourceId);
    }
  }

  /** Returns undefined if there is none. */
  oldest(sourceId?: string): string | undefined {
    const clients = sourceId === undefined ? this.#clients.keys() : this.#bySource.get(sourceId)?.values();
    return clients?.next().value;
  }

  /** The clients that disappeared at `until` or before it. */
  before(until: EpochMs): string[] {
    const found: string[] = [];
    for (const [clientId, { goneAt }] of this.#clients) if (goneAt <= until) found.push(clientId);
    return found;
  }
}
