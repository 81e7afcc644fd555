import type { ResourceKey } from '../observation/resource-state';

interface HeldRow extends ResourceKey {
  readonly hash: string | null;
}

/** The resources of one type by name, with the hash of each. */
type Held = ReadonlyMap<string, string>;

const none: Held = new Map();
const mostHolders = 1_000;

/**
 * What clients hold, as sources recorded it: a response names what its client does not hold, also on a new stream. A holder is a
 * client at one source.
 */
export class HeldResources {
  readonly #holders = new Map<string, Map<string, Map<string, string>>>();

  find(holder: string, typeUrl: string): Held {
    return this.#holders.get(holder)?.get(typeUrl) ?? none;
  }

  /** Adds the changes of an answer. */
  apply(holder: string, changed: readonly HeldRow[], removed: readonly ResourceKey[]): void {
    const types = this.#holders.get(holder) ?? new Map<string, Map<string, string>>();
    // The holders that answered last are kept.
    this.#holders.delete(holder);
    this.#holders.set(holder, types);
    const [oldest] = this.#holders.keys();
    if (this.#holders.size > mostHolders && oldest !== undefined) this.#holders.delete(oldest);
    for (const { typeUrl, name } of removed) types.get(typeUrl)?.delete(name);
    for (const { typeUrl, name, hash } of changed) {
      const rows = types.get(typeUrl) ?? new Map<string, string>();
      types.set(typeUrl, rows);
      if (hash === null) rows.delete(name);
      else rows.set(name, hash);
    }
  }
}
