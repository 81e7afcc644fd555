import { LRUCache } from 'lru-cache';
import type { Body } from '@/server/observe';

/** Of hashes; some 10 MB at most. */
const maxKnown = 50_000;

/** Which bodies are on their way to the disk (they are read from here), and which are known to be there. */
export class BodyLedger {
  /** hash -> bodies, one per type URL. */
  readonly #pending = new Map<string, Body[]>();
  /** hash -> the type URL that it is stored under. */
  readonly #stored = new LRUCache<string, string>({ max: maxKnown });

  has({ hash, typeUrl }: Body): boolean {
    return this.#stored.get(hash) === typeUrl || this.findPending(hash, typeUrl) !== undefined;
  }

  get hasNonePending(): boolean {
    return this.#pending.size === 0;
  }

  findPending(hash: string, typeUrl?: string): Body | undefined {
    const bodies = this.#pending.get(hash);
    return typeUrl === undefined ? bodies?.[0] : bodies?.find((body) => body.typeUrl === typeUrl);
  }

  /** See ownBodies(). */
  add(body: Body): void {
    this.#pending.set(body.hash, [...(this.#pending.get(body.hash) ?? []), body]);
  }

  /** It is on the disk now. */
  committed({ hash, typeUrl }: Body): void {
    const left = this.#pending.get(hash)?.filter((body) => body.typeUrl !== typeUrl) ?? [];
    if (left.length === 0) this.#pending.delete(hash);
    else this.#pending.set(hash, left);
    this.#stored.set(hash, typeUrl);
  }

  /** The disk may not hold these any more: their next emission must bring the bytes. */
  forget(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#stored.delete(hash);
  }

  forgetAll(): void {
    this.#stored.clear();
  }
}
