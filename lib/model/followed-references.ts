import { CDS, EDS, RDS } from '../xds/resource-type';
import { isOnSameStream } from './config-source';
import type { Reference } from './references';

const followed: ReadonlySet<string> = new Set([RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);

/**
 * What a gRPC client follows. The other references (secrets, scoped routes, virtual hosts, clusters that filters call,
 * what comes from a file or from another server) are shown, not asked for.
 */
export function followedReferences(references: readonly Reference[]): readonly Reference[] {
  return references.filter(
    ({ typeUrl, how, from }) => followed.has(typeUrl) && how !== 'service' && isOnSame(from),
  );
}

function isOnSame(from: Reference['from']): boolean {
  return from === null || isOnSameStream(from);
}
