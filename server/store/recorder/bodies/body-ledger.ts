import type { Body } from '@/server/observe';
import { boundedCache } from '../../../bounded-cache';

/** The hashes take some 10 MB. */
const maxKnown = 50_000;

/** Tracks which bodies are waiting to be written, and which are stored. */
export class BodyLedger {
  /** The key is the hash; a hash has one body per type URL. */
  readonly #pending = new Map<string, Body[]>();
  /** The key is the hash, the value the type URL under which the body is stored. */
  readonly #stored = boundedCache<string>(maxKnown);

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

  /** Precondition: the body owns its bytes (ownBodies()). */
  add(body: Body): void {
    this.#pending.set(body.hash, [...(this.#pending.get(body.hash) ?? []), body]);
  }

  committed({ hash, typeUrl }: Body): void {
    const left = this.#pending.get(hash)?.filter((body) => body.typeUrl !== typeUrl) ?? [];
    if (left.length === 0) this.#pending.delete(hash);
    else this.#pending.set(hash, left);
    this.#stored.set(hash, typeUrl);
  }

  /** Must be called for bodies that may be deleted: their next emission must contain the bytes. */
  forget(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#stored.delete(hash);
  }

  forgetAll(): void {
    this.#stored.clear();
  }
}
