import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/observation';

interface Pending {
  readonly changed: Map<string, ResourceState>;
  readonly removed: Map<string, ResourceKey>;
}

/** Changes of the cache that no observation has told yet. The newest word on a resource is the one that counts. */
export class PendingChanges {
  /** By type, then by name: keys made of both would be 100,000 texts more. */
  readonly #byType = new Map<string, Pending>();

  add({ changed, removed }: ResourceChanges): void {
    for (const key of removed) {
      const pending = this.#of(key.typeUrl);
      pending.changed.delete(key.name);
      pending.removed.set(key.name, key);
    }
    for (const state of changed) {
      const pending = this.#of(state.typeUrl);
      if (pending.removed.size > 0) pending.removed.delete(state.name);
      pending.changed.set(state.name, state);
    }
  }

  get isEmpty(): boolean {
    return this.#byType.size === 0;
  }

  /** Hands over what has gathered, and starts anew. */
  take(): ResourceChanges {
    const all = [...this.#byType.values()];
    this.#byType.clear();
    return {
      changed: all.flatMap(({ changed }) => [...changed.values()]),
      removed: all.flatMap(({ removed }) => [...removed.values()]),
    };
  }

  #of(typeUrl: string): Pending {
    const known = this.#byType.get(typeUrl);
    if (known !== undefined) return known;
    const pending: Pending = { changed: new Map(), removed: new Map() };
    this.#byType.set(typeUrl, pending);
    return pending;
  }
}
