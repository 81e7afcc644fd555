import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/observation';

/** Changes of the cache that no observation has told yet. The newest word on a resource is the one that counts. */
export class PendingChanges {
  readonly #changed = new Map<string, ResourceState>();
  readonly #removed = new Map<string, ResourceKey>();

  add({ changed, removed }: ResourceChanges): void {
    for (const key of removed) {
      this.#changed.delete(resourceKey(key));
      this.#removed.set(resourceKey(key), key);
    }
    for (const state of changed) {
      this.#removed.delete(resourceKey(state));
      this.#changed.set(resourceKey(state), state);
    }
  }

  get isEmpty(): boolean {
    return this.#changed.size === 0 && this.#removed.size === 0;
  }

  /** Hands over what has gathered, and starts anew. */
  take(): ResourceChanges {
    const changes = { changed: [...this.#changed.values()], removed: [...this.#removed.values()] };
    this.#changed.clear();
    this.#removed.clear();
    return changes;
  }
}
