import type {
  ResourceChanges,
  ResourceKey,
  ResourceState,
  TypeVersion,
} from '@/lib/observation/resource-state';

/** Collects changes of rows. The last change of a row replaces earlier ones. */
export class RowChanges {
  readonly #changed = new Map<string, ResourceState>();
  readonly #removed = new Map<string, ResourceKey>();
  /** Set if the version of the type changed. */
  typeVersion: TypeVersion | undefined;

  put(row: ResourceState): void {
    this.#removed.delete(row.name);
    this.#changed.set(row.name, row);
  }

  remove(key: ResourceKey): void {
    this.#changed.delete(key.name);
    this.#removed.set(key.name, key);
  }

  /** Whether no row was changed or removed. */
  get isEmpty(): boolean {
    return this.#changed.size + this.#removed.size === 0;
  }

  done(): ResourceChanges {
    const { typeVersion } = this;
    const rows = { changed: [...this.#changed.values()], removed: [...this.#removed.values()] };
    return typeVersion === undefined ? rows : { ...rows, typeVersions: [typeVersion] };
  }
}
