import type { EpochMs } from '../xds/units';

/** Contents and versions of one resource that are remembered; what is older may be counted twice. */
const mostRemembered = 64;

interface Pair {
  readonly hash: string;
  readonly version: string;
}

/**
 * How often one resource's content turned into another. MUTABLE. Many clients report the same turn: what is known by
 * content and version is reported again and counts once.
 */
export class ContentTurns {
  /** From one content to another one. */
  changes = 0;
  /** Of these, back to one that it had before. */
  returns = 0;
  lastAt: EpochMs = 0;
  #current: string | null = null;
  /** The newest one that was reported: mostly it is reported again. */
  #last: Pair | null = null;
  /** Oldest first. */
  readonly #pairs: Pair[] = [];
  /** The same: content -> versions. */
  readonly #versions = new Map<string, Set<string>>();
  readonly #hashes = new Set<string>();

  take(hash: string, version: string, at: EpochMs): void {
    if (this.#last !== null && this.#last.hash === hash && this.#last.version === version) return;
    if (this.#versions.get(hash)?.has(version)) return;
    this.#last = { hash, version };
    this.#rememberPair(this.#last);
    if (hash === this.#current) return;
    if (this.#current !== null) {
      this.changes += 1;
      this.lastAt = at;
      if (this.#hashes.has(hash)) this.returns += 1;
    }
    this.#current = hash;
    this.#rememberHash(hash);
  }

  /** Different ones; at most as many as are remembered. */
  get contents(): number {
    return this.#hashes.size;
  }

  get current(): string | null {
    return this.#current;
  }

  #rememberPair(pair: Pair): void {
    const { hash, version } = pair;
    this.#pairs.push(pair);
    const versions = this.#versions.get(hash);
    if (versions === undefined) this.#versions.set(hash, new Set([version]));
    else versions.add(version);
    if (this.#pairs.length <= mostRemembered) return;
    const oldest = this.#pairs.shift();
    if (oldest === undefined) return;
    const left = this.#versions.get(oldest.hash);
    left?.delete(oldest.version);
    if (left?.size === 0) this.#versions.delete(oldest.hash);
  }

  #rememberHash(hash: string): void {
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    if (this.#hashes.size <= mostRemembered) return;
    const [oldest] = this.#hashes;
    if (oldest !== undefined) this.#hashes.delete(oldest);
  }
}
