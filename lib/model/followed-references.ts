import { CDS, EDS, RDS } from '../xds/resource-type';
import { isOnSameStream } from './config-source';
import type { Reference } from './references';

const followed: ReadonlySet<string> = new Set([RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);

/**
 * References that a gRPC client follows. The others (secrets, scoped routes, virtual hosts, clusters that filters
 * call, resources from files or other servers) are displayed only.
 */
export function followedReferences(references: readonly Reference[]): readonly Reference[] {
  // All references are usually followed; then no new list of up to 100,000 clusters is built.
  return references.every(isFollowed) ? references : references.filter(isFollowed);
}

function isFollowed({ typeUrl, how, from }: Reference): boolean {
  return followed.has(typeUrl) && how !== 'service' && isOnSame(from);
}

function isOnSame(from: Reference['from']): boolean {
  return from === null || isOnSameStream(from);
}
