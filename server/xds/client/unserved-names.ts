import type { ResourceKey } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { PendingChanges } from './pending-changes';
import { ResourceCache } from './resource-cache';

/**
 * gRFC A47: a name whose authority the bootstrap does not know, or that is no good, is an error at once, and nobody is
 * asked.
 */
export class UnservedNames {
  /** Reported as soon as somebody knows this client. */
  readonly pending = new PendingChanges();
  readonly #byType = new Map<string, ResourceCache>();

  reject({ typeUrl, name }: ResourceKey, reason: string, at: EpochMs): void {
    const none = { absenceDeletes: false, wildcard: false, isOurs: () => true, onLinks: () => {} };
    const cache = this.#byType.get(typeUrl) ?? new ResourceCache({ typeUrl, ...none });
    this.#byType.set(typeUrl, cache);
    this.pending.add({ changed: [cache.rejectName(name, reason, at)], removed: [] });
  }

  unwant(keys: readonly ResourceKey[]): void {
    for (const { typeUrl, name } of keys) {
      const cache = this.#byType.get(typeUrl);
      if (cache?.names.has(name) === true) this.pending.add(cache.unwant([name]));
    }
  }
}
