import type { EpochMs } from '../../xds/units';

/** Contents and versions of one resource that are remembered; what is older may be counted twice. */
const mostRemembered = 64;

/**
 * How often one resource's content turned into another. MUTABLE. Many clients tell of the same turn: what is known by
 * content and version is told again and counts once.
 */
export class ContentTurns {
  /** From one content to another one. */
  changes = 0;
  /** Of these, back to one that it had before. */
  returns = 0;
  lastAt: EpochMs = 0;
  #current: string | null = null;
  readonly #pairs = new Set<string>();
  readonly #hashes = new Set<string>();

  take(hash: string, version: string, at: EpochMs): void {
    const pair = `${hash} ${version}`;
    if (this.#pairs.has(pair)) return;
    remember(this.#pairs, pair);
    if (hash === this.#current) return;
    if (this.#current !== null) {
      this.changes += 1;
      this.lastAt = at;
      if (this.#hashes.has(hash)) this.returns += 1;
    }
    this.#current = hash;
    remember(this.#hashes, hash);
  }

  /** Different ones; at most as many as are remembered. */
  get contents(): number {
    return this.#hashes.size;
  }

  get current(): string | null {
    return this.#current;
  }
}

function remember(set: Set<string>, text: string): void {
  set.delete(text);
  set.add(text);
  if (set.size <= mostRemembered) return;
  const [oldest] = set;
  if (oldest !== undefined) set.delete(oldest);
}
