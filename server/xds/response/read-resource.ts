import type { ResourceKey } from '@/lib/observation/observation';

interface OfResource {
  readonly name: string;
  /** Its own; empty in state of the world, where the response's counts. */
  readonly version: string;
}

interface Lasting extends OfResource {
  /** Dropped unless it is renewed within that time; null: never. */
  readonly ttlMs: number | null;
}

/** One resource of a response, after reading. */
export type ReadResource =
  /** Its bytes are those that we hold. */
  | (Lasting & { readonly kind: 'unchanged'; readonly aliases: readonly string[] })
  /** No update: it renews the time to live of what we hold, if the version is that of what we hold. */
  | (Lasting & { readonly kind: 'heartbeat' })
  | (Lasting & {
      readonly kind: 'new';
      readonly aliases: readonly string[];
      /** Of the bytes as they came; see CachedResource. */
      readonly digest: string;
      readonly wireBytes: number;
      readonly hash: string;
      readonly sizeBytes: number;
      readonly follows: readonly ResourceKey[];
      readonly apiVersion: 'v3' | 'v2';
    })
  | (OfResource & {
      readonly kind: 'rejected';
      readonly reason: string;
      readonly failedHash: string | null;
    });
