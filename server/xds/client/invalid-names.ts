import type { ResourceKey } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import { PendingChanges } from './pending-changes';
import { ResourceCache } from './resource-cache';

/** gRFC A47: a name is in error and not requested if it is malformed, or if the bootstrap lacks its authority. */
export class InvalidNames {
  /** The changes are reported once the first stream is open. */
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
