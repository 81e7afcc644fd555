import { CDS, ECDS, EDS, RDS, SDS } from '../xds/resource-type';
import type { Reference } from './references';

/** Types whose source can be left out, because gRPC accepts them only from its own stream. */
const usual: ReadonlySet<string> = new Set([RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);
/** A reference without a source is one to a static resource of the client. */
const withSource: ReadonlySet<string> = new Set([SDS.typeUrl, ECDS.typeUrl]);

export interface FollowOptions {
  /** True if an api_config_source counts as the same server, as it does for a client without ADS. */
  readonly fromApi: boolean;
  /** True if secrets and filter configs of REST count as well, as for a client that polls. */
  readonly fromRest: boolean;
}

/**
 * The references that a client subscribes to on its own stream. The others (scoped routes, virtual hosts, clusters that
 * filters call, resources from files or other servers) are displayed only.
 */
export function followedReferences(
  references: readonly Reference[],
  options: FollowOptions,
): readonly Reference[] {
  const isFollowed = (reference: Reference): boolean => follows(reference, options);
  // All references are usually followed; then no new list of up to 100,000 clusters is built.
  return references.every(isFollowed) ? references : references.filter(isFollowed);
}

function follows({ typeUrl, how, from }: Reference, { fromApi, fromRest }: FollowOptions): boolean {
  if (how === 'service') return false;
  const isUsual = usual.has(typeUrl);
  if (!isUsual && !withSource.has(typeUrl)) return false;
  switch (from) {
    case undefined:
    case 'unset':
      return isUsual;
    case 'ads':
    case 'self':
      return true;
    case 'api':
      // Secrets of an api_config_source usually come from an agent beside the client.
      return fromApi && isUsual;
    case 'rest':
      return isUsual ? fromApi : fromRest;
    case 'path':
      return false;
  }
}
