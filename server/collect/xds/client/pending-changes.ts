import type { ResourceChanges, ResourceKey, ResourceState } from '@/lib/observation/resource-state';

interface Merged {
  readonly changed: Map<string, ResourceState>;
  readonly removed: Map<string, ResourceKey>;
}

const none: ResourceChanges = { changed: [], removed: [] };

/** Changes of the cache that no observation has reported yet. The last change of a resource replaces earlier ones. */
export class PendingChanges {
  /** The only added changes. They are merged into `#byType` only when others follow, which is rare. */
  #first: ResourceChanges | undefined;
  /** The keys are type and name, to avoid 100,000 concatenated keys. */
  readonly #byType = new Map<string, Merged>();

  /** `changes` contains no resource twice. */
  add(changes: ResourceChanges): void {
    if (changes.changed.length === 0 && changes.removed.length === 0) return;
    if (this.isEmpty) {
      this.#first = changes;
      return;
    }
    if (this.#first !== undefined) this.#merge(this.#first);
    this.#first = undefined;
    this.#merge(changes);
  }

  get isEmpty(): boolean {
    return this.#first === undefined && this.#byType.size === 0;
  }

  take(): ResourceChanges {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined || this.#byType.size === 0) return first ?? none;
    const all = [...this.#byType.values()];
    this.#byType.clear();
    return {
      changed: all.flatMap(({ changed }) => [...changed.values()]),
      removed: all.flatMap(({ removed }) => [...removed.values()]),
    };
  }

  #merge({ changed, removed }: ResourceChanges): void {
    for (const key of removed) {
      const merged = this.#of(key.typeUrl);
      merged.changed.delete(key.name);
      merged.removed.set(key.name, key);
    }
    for (const state of changed) {
      const merged = this.#of(state.typeUrl);
      if (merged.removed.size > 0) merged.removed.delete(state.name);
      merged.changed.set(state.name, state);
    }
  }

  #of(typeUrl: string): Merged {
    const known = this.#byType.get(typeUrl);
    if (known !== undefined) return known;
    const merged: Merged = { changed: new Map(), removed: new Map() };
    this.#byType.set(typeUrl, merged);
    return merged;
  }
}
