import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey } from '@/lib/observation/observation';

/** Of one client; what is older is forgotten. */
const keysKept = 5_000;

/**
 * Which rows of a client changed at which revision, newest last, so that who made something of a large client's rows
 * need not look at all of them again.
 */
export class ChangeLog {
  private readonly entries: { readonly revision: number; readonly keys: readonly ResourceKey[] }[] = [];
  private size = 0;

  /** Everything after this revision is in the log. */
  constructor(private since: number) {}

  add(revision: number, keys: readonly ResourceKey[]): void {
    if (keys.length > keysKept) {
      this.entries.length = 0;
      this.size = 0;
      this.since = revision;
      return;
    }
    this.entries.push({ revision, keys: keys.map(({ typeUrl, name }) => ({ typeUrl, name })) });
    this.size += keys.length;
    while (this.size > keysKept || this.entries.length > keysKept) {
      const oldest = this.entries.shift();
      if (oldest === undefined) return;
      this.size -= oldest.keys.length;
      this.since = oldest.revision;
    }
  }

  /** undefined: so far back the log does not go. */
  findSince(revision: number): ResourceKey[] | undefined {
    if (revision < this.since) return undefined;
    const found = new Map<string, ResourceKey>();
    for (let index = this.entries.length - 1; index >= 0; index--) {
      const entry = this.entries[index];
      if (entry === undefined || entry.revision <= revision) break;
      for (const key of entry.keys) found.set(resourceKey(key), key);
    }
    return [...found.values()];
  }
}
