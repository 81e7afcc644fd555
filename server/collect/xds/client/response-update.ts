import type { ResourceKey } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import type { CachedResource } from '../response/cached-resource';
import type { ReadResource } from '../response/read-resource';
import type { Repeats } from '../response/repeats';
import type { ErrorPolicy } from '../stream/error-policy';
import { accepted, type ReportedError, rejected } from './resource-state';

/** A response after reading, as it is applied to the caches. */
export interface ResponseUpdate {
  readonly isDelta: boolean;
  /** A resource of the response is unreadable, so a missing name does not mean that its resource is absent. */
  readonly isBroken?: boolean;
  /** The version of the whole response. In delta each resource has its own. */
  readonly versionInfo: string;
  readonly resources: readonly ReadResource[];
  /** False if `resources` contains each name once. */
  readonly hasCopies?: boolean;
  readonly hasTtls?: boolean;
  /** The resources that equal the held ones and are not among `resources`. */
  readonly repeats?: Pick<Repeats, 'count' | 'has'> | null;
  /** Used in delta only. */
  readonly removed: readonly string[];
  readonly errors: readonly (ReportedError & { readonly name: string })[];
  /** The key of the server. Versions are valid only for the server that sent them. */
  readonly server: string;
  readonly policy: ErrorPolicy;
}

interface RowUpdate {
  readonly entry: CachedResource;
  /** States whether the reported state changed, and not only the fields beside it. */
  readonly isNews: boolean;
}

/** Returns the entry of a resource whose bytes were not held. It replaces any other entry. */
export function entryOfNew(
  {
    hash,
    sizeBytes,
    digest,
    wireBytes,
    follows,
    name,
    version,
    apiVersion: sentVersion,
  }: ReadResource & { readonly kind: 'new' },
  key: ResourceKey,
  { server, isDelta, versionInfo: ofResponse }: ResponseUpdate,
  at: EpochMs,
): CachedResource {
  const apiVersion = sentVersion === 'v2' ? sentVersion : undefined;
  const canonicalName = name === key.name ? undefined : name;
  const body = { versionInfo: isDelta ? version : ofResponse, hash, sizeBytes, apiVersion, canonicalName };
  return { state: accepted(key, body, at), digest, wireBytes, follows, server, version };
}

/** Returns the effect of any other resource on its row, or undefined if there is none. */
export function updateOf(
  resource: Exclude<ReadResource, { readonly kind: 'new' }>,
  known: CachedResource,
  { server, isDelta, versionInfo: ofResponse, policy }: ResponseUpdate,
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
      // After a NACK the server may send the accepted bytes again.
      if (state.clientStatus === 'ACKED' && state.ambientError === undefined && !(isDelta && isOther)) {
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
