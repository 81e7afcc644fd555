import type { ResourceKey } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { CachedResource } from '../response/cached-resource';
import type { ReadResource } from '../response/read-resource';
import type { Repeats } from '../response/repeats';
import type { ErrorPolicy } from '../stream/error-policy';
import { accepted, type ReportedError, rejected } from './resource-state';

/** What a server said of a type, after reading. */
export interface ServerNews {
  readonly isDelta: boolean;
  /** It could not be read as a whole: what is not in it may still be there. */
  readonly isBroken?: boolean;
  /** Of the whole response; delta has a version for each resource. */
  readonly versionInfo: string;
  readonly resources: readonly ReadResource[];
  /** Is there more than one of a name among them? */
  readonly hasCopies?: boolean;
  /** Has any of them a time to live? */
  readonly hasTtls?: boolean;
  /** Those that came as they are held, if they are not among `resources`. */
  readonly repeats?: Pick<Repeats, 'count' | 'has'> | null;
  /** Delta alone. */
  readonly removed: readonly string[];
  readonly errors: readonly (ReportedError & { readonly name: string })[];
  /** Versions are the server's own, and mean nothing to another. */
  readonly server: string;
  readonly policy: ErrorPolicy;
}

export interface RowUpdate {
  readonly entry: CachedResource;
  /** Is the state another one, or only what we remember beside it? */
  readonly isNews: boolean;
}

/** What a resource whose bytes we did not hold makes of a row, whatever was there. */
export function entryOfNew(
  {
    hash,
    sizeBytes,
    digest,
    wireBytes,
    follows,
    name,
    version,
    apiVersion: spoken,
  }: ReadResource & { readonly kind: 'new' },
  key: ResourceKey,
  { server, isDelta, versionInfo: ofResponse }: ServerNews,
  at: EpochMs,
): CachedResource {
  const apiVersion = spoken === 'v2' ? spoken : undefined;
  const canonicalName = name === key.name ? undefined : name;
  const body = { versionInfo: isDelta ? version : ofResponse, hash, sizeBytes, apiVersion, canonicalName };
  return { state: accepted(key, body, at), digest, wireBytes, follows, server, version };
}

/** What another one makes of the row that it is about; undefined: nothing. */
export function updateOf(
  resource: Exclude<ReadResource, { readonly kind: 'new' }>,
  known: CachedResource,
  { server, isDelta, versionInfo: ofResponse, policy }: ServerNews,
  at: EpochMs,
): RowUpdate | undefined {
  if (resource.kind === 'heartbeat') return undefined;
  const { state } = known;
  const { version } = resource;
  const versionInfo = isDelta ? version : ofResponse;
  switch (resource.kind) {
    case 'unchanged': {
      const { hash, sizeBytes, apiVersion, canonicalName } = state;
      if (hash === null || sizeBytes === null) return undefined;
      const isOther = known.version !== version;
      // After a NACK the good bytes may simply be sent again.
      if (state.clientStatus === 'ACKED' && state.ambientError === undefined && !(isDelta && isOther)) {
        // The way of nearly all of 100,000.
        if (!isOther && known.server === server) return undefined;
        return { entry: { ...known, server, version }, isNews: false };
      }
      const body = { versionInfo, hash, sizeBytes, apiVersion, canonicalName };
      return { entry: { ...known, server, version, state: accepted(state, body, at) }, isNews: true };
    }
    case 'rejected': {
      const { reason, failedHash } = resource;
      const rejection = { reason, versionInfo, failedHash };
      return { entry: { ...known, state: rejected(state, rejection, at, policy) }, isNews: true };
    }
  }
}
