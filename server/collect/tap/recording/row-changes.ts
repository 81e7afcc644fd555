import { resourceKey } from '@/lib/observation/client-state';
import type {
  ResourceChanges,
  ResourceKey,
  ResourceState,
  TypeVersion,
} from '@/lib/observation/resource-state';

/** Collects changes of rows, of any types. The last change of a row replaces earlier ones. */
export class RowChanges {
  /** The keys are those of resourceKey(). */
  readonly #changed = new Map<string, ResourceState>();
  readonly #removed = new Map<string, ResourceKey>();
  /** Set if the version of the type changed. */
  typeVersion: TypeVersion | undefined;

  put(row: ResourceState): void {
    const key = resourceKey(row);
    this.#removed.delete(key);
    this.#changed.set(key, row);
  }

  remove(key: ResourceKey): void {
    const id = resourceKey(key);
    this.#changed.delete(id);
    this.#removed.set(id, key);
  }

  /** True if no row was changed or removed. */
  get isEmpty(): boolean {
    return this.#changed.size + this.#removed.size === 0;
  }

  done(): ResourceChanges {
    const { typeVersion } = this;
    const rows = { changed: [...this.#changed.values()], removed: [...this.#removed.values()] };
    return typeVersion === undefined ? rows : { ...rows, typeVersions: [typeVersion] };
  }
}
