import type { ResourceKey } from '@/lib/observation/resource-state';

interface OfResource {
  readonly name: string;
  /** The resource's own version. It is empty in state of the world, where the response has the version. */
  readonly version: string;
}

interface WithTtl extends OfResource {
  /** The resource is removed unless it is renewed within this time. Null without a limit. */
  readonly ttlMs: number | null;
}

export type ReadResource =
  /** Its bytes equal the held ones. */
  | (WithTtl & { readonly kind: 'unchanged'; readonly aliases: readonly string[] })
  /** It renews the time to live of the held resource if the versions are equal. It is not an update. */
  | (WithTtl & { readonly kind: 'heartbeat' })
  | (WithTtl & {
      readonly kind: 'new';
      readonly aliases: readonly string[];
      /** SHA-256 of the received bytes, see CachedResource. */
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
