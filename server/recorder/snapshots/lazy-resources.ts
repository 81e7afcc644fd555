import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { StoredRows } from './stored-rows';

/**
 * The rows of a report for the fold, which only sets, deletes, clears and iterates. Changes are collected, and the
 * stored rows are read only when all rows are requested.
 */
export class LazyResources extends Map<string, ResourceState> {
  readonly #load: (stored: StoredRows) => Map<string, ResourceState>;

  /** The key is resourceKey(); null marks a removed row. */
  readonly changes = new Map<string, ResourceState | null>();

  constructor(
    readonly stored: StoredRows | null,
    load: (stored: StoredRows) => Map<string, ResourceState>,
  ) {
    super();
    this.#load = load;
  }

  override set(key: string, row: ResourceState): this {
    this.changes.set(key, row);
    return this;
  }

  override delete(key: string): boolean {
    this.changes.set(key, null);
    return true;
  }

  override clear(): void {
    for (const row of [...this.values()]) this.delete(resourceKey(row));
  }

  override values(): MapIterator<ResourceState> {
    const all = this.stored ? this.#load(this.stored) : new Map<string, ResourceState>();
    for (const [key, row] of this.changes) {
      if (row === null) all.delete(key);
      else all.set(key, row);
    }
    return all.values();
  }
}
