import { CDS, EDS, RDS } from '../xds/resource-type';
import { isOnSameStream } from './config-source';
import type { Reference } from './references';

const followed: ReadonlySet<string> = new Set([RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);

/**
 * What a gRPC client follows. The other references (secrets, scoped routes, virtual hosts, clusters that filters call,
 * what comes from a file or from another server) are shown, not asked for.
 */
export function followedReferences(references: readonly Reference[]): readonly Reference[] {
  // Mostly it is all of them, as of 100,000 clusters, and no list is made.
  return references.every(isFollowed) ? references : references.filter(isFollowed);
}

function isFollowed({ typeUrl, how, from }: Reference): boolean {
  return followed.has(typeUrl) && how !== 'service' && isOnSame(from);
}

function isOnSame(from: Reference['from']): boolean {
  return from === null || isOnSameStream(from);
}
