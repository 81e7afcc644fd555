import { createHash } from 'node:crypto';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { RuleContext } from '@/lib/validate/rule';
import { isDuplicateName } from '@/lib/xds/duplicate-name';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { inSlices } from '../../workers/threads/in-slices';

/** The facts that the rules need besides the body. */
export interface BodyContext {
  /** Equal contexts have equal ids. */
  readonly id: string;
  readonly rules: RuleContext;
}

interface KnownClusters {
  /** Equal names in the same order have equal ids. */
  readonly id: string;
  readonly names: ReadonlySet<string>;
}

export type ContextKey = Pick<ResourceRow, 'typeUrl' | 'name' | 'canonicalName'>;
export type ContextOf = (row: ContextKey) => BodyContext | undefined;

/**
 * Returns the context of the rules for a row, from the client's clusters and, if known, the certificate providers of
 * its bootstrap, or undefined if the rules of its type need none. A type depends only on the context that its rules
 * use, so that a new cluster does not invalidate the findings of others.
 */
export function buildRowContexts(
  clusters: KnownClusters | undefined,
  certificateProviders: Iterable<string> | null,
): ContextOf {
  const providers = certificateProviders === null ? undefined : new Set(certificateProviders);
  const providersId = providers && JSON.stringify([...providers].sort());
  const byType = new Map<string, BodyContext>();
  if (clusters !== undefined)
    byType.set(RDS.typeUrl, { id: clusters.id, rules: { clusters: clusters.names } });
  if (providersId !== undefined)
    byType.set(CDS.typeUrl, { id: providersId, rules: { certificateProviders: providers } });
  if (clusters !== undefined || providersId !== undefined) {
    const id = `${clusters?.id ?? ''} ${providersId ?? ''}`;
    byType.set(LDS.typeUrl, { id, rules: { clusters: clusters?.names, certificateProviders: providers } });
  }
  return (row) => (row.typeUrl === EDS.typeUrl ? endpointsContext(row) : byType.get(row.typeUrl));
}

/**
 * The name in the endpoints can differ for an `xdstp:` name, which has several spellings, for an alias, and for one of several
 * resources with equal names.
 */
function endpointsContext({ name, canonicalName }: ContextKey): BodyContext | undefined {
  if (name === '' || isDuplicateName(name) || canonicalName !== undefined || /^xdstp:/i.test(name))
    return undefined;
  return { id: name, rules: { subscribedName: name } };
}

/** A cluster that was only requested, or does not exist, is not known. */
export function isKnownCluster({
  typeUrl,
  clientStatus,
}: Pick<ResourceRow, 'typeUrl' | 'clientStatus'>): boolean {
  return typeUrl === CDS.typeUrl && clientStatus !== 'REQUESTED' && clientStatus !== 'DOES_NOT_EXIST';
}

/** Returns undefined for a client without reported clusters. */
export function knownClustersOf(names: ReadonlySet<string>): KnownClusters | undefined {
  if (names.size === 0) return undefined;
  const digest = createHash('sha256');
  for (const name of names) digest.update(`${name}\u0000`);
  return { id: digest.digest('hex'), names };
}

/** Extends buildRowContexts() by the clusters of the rows, which are read in slices. */
export async function findRowContexts(
  rows: readonly ResourceRow[],
  certificateProviders: Iterable<string> | null,
): Promise<ContextOf> {
  return buildRowContexts(await findClusters(rows), certificateProviders);
}

/** The key is a list of rows, which is the same object until the client changes. */
const known = new WeakMap<readonly ResourceRow[], KnownClusters | undefined>();

async function findClusters(rows: readonly ResourceRow[]): Promise<KnownClusters | undefined> {
  if (known.has(rows)) return known.get(rows);
  const names = new Set<string>();
  await inSlices(rows, (row) => {
    if (isKnownCluster(row)) names.add(row.name);
  });
  const found = knownClustersOf(names);
  known.set(rows, found);
  return found;
}
