import type { EpochMs } from '../xds/units';

/** The number of contents and versions that are kept for one resource. Older ones may be counted twice. */
const mostRemembered = 64;

interface Pair {
  readonly hash: string;
  readonly version: string;
}

/**
 * Counts the changes of one resource's content. Many clients report the same change: a known pair of content and version
 * counts once. MUTABLE.
 */
export class ContentTurns {
  readonly #bucketMs: number;

  changes = 0;
  /** Changes back to an earlier content. */
  returns = 0;
  lastAt: EpochMs = 0;
  /** The number of changes by the start of their bucket; empty buckets are absent. */
  readonly buckets = new Map<EpochMs, number>();
  #current: string | null = null;
  /** The newest pair, which is mostly reported again. */
  #last: Pair | null = null;
  /** Oldest first. */
  readonly #pairs: Pair[] = [];
  /** Content -> versions. */
  readonly #versions = new Map<string, Set<string>>();
  readonly #hashes = new Set<string>();

  constructor(bucketMs: number) {
    this.#bucketMs = bucketMs;
  }

  add(hash: string, version: string, at: EpochMs): void {
    if (this.#last !== null && this.#last.hash === hash && this.#last.version === version) return;
    if (this.#versions.get(hash)?.has(version)) return;
    this.#last = { hash, version };
    this.#rememberPair(this.#last);
    if (hash === this.#current) return;
    if (this.#current !== null) {
      this.changes += 1;
      this.lastAt = at;
      const start = Math.floor(at / this.#bucketMs) * this.#bucketMs;
      this.buckets.set(start, (this.buckets.get(start) ?? 0) + 1);
      if (this.#hashes.has(hash)) this.returns += 1;
    }
    this.#current = hash;
    this.#rememberHash(hash);
  }

  /** The number of different contents, up to the limit. */
  get contents(): number {
    return this.#hashes.size;
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
