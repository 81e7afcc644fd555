import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/resource-state';

/** Limits the keys of one client; the oldest are dropped. */
const keysKept = 5_000;

/** The keys of changed rows of a client by revision, for derived data that is updated without comparing all rows. */
export class ChangeLog {
  #since: number;
  readonly #entries: { readonly revision: number; readonly keys: readonly ResourceKey[] }[] = [];
  #size = 0;

  /** All changes after this revision are in the log. */
  constructor(since: number) {
    this.#since = since;
  }

  add(revision: number, keys: readonly ResourceKey[]): void {
    if (keys.length > keysKept) {
      this.#entries.length = 0;
      this.#size = 0;
      this.#since = revision;
      return;
    }
    this.#entries.push({ revision, keys: keys.map(({ typeUrl, name }) => ({ typeUrl, name })) });
    this.#size += keys.length;
    while (this.#size > keysKept || this.#entries.length > keysKept) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#size -= oldest.keys.length;
      this.#since = oldest.revision;
    }
  }

  /** Returns undefined if the log does not reach back to the revision. */
  findSince(revision: number): ResourceKey[] | undefined {
    if (revision < this.#since) return undefined;
    const found = new Map<string, ResourceKey>();
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries[index];
      if (entry === undefined || entry.revision <= revision) break;
      for (const key of entry.keys) found.set(resourceKey(key), key);
    }
    return [...found.values()];
  }
}
