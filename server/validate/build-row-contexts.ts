import { createHash } from 'node:crypto';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { RuleContext } from '@/lib/validate/rule';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';

/** What the rules are reported a body besides its bytes. */
export interface BodyContext {
  /** The same for equal contexts. */
  readonly id: string;
  readonly rules: RuleContext;
}

export interface KnownClusters {
  /** The same for the same names in the same order. */
  readonly id: string;
  readonly names: ReadonlySet<string>;
}

export type ContextKey = Pick<ResourceRow, 'typeUrl' | 'name' | 'canonicalName'>;
export type ContextOf = (row: ContextKey) => BodyContext | undefined;

/**
 * What a client's clusters, and its bootstrap where that is ours, say to the rules about one of its rows; undefined:
 * nothing. Each type is reported only what its rules ask for, so that a new cluster has no other cluster validated anew.
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

/** An `xdstp:` name has several spellings, and an alias is not the name that the server gave. */
function endpointsContext({ name, canonicalName }: ContextKey): BodyContext | undefined {
  if (name === '' || canonicalName !== undefined || /^xdstp:/i.test(name)) return undefined;
  return { id: name, rules: { subscribedName: name } };
}

/** What was only asked for, or is said not to be there, is no cluster. */
export function isKnownCluster({
  typeUrl,
  clientStatus,
}: Pick<ResourceRow, 'typeUrl' | 'clientStatus'>): boolean {
  return typeUrl === CDS.typeUrl && clientStatus !== 'REQUESTED' && clientStatus !== 'DOES_NOT_EXIST';
}

/** undefined for a client of which no cluster is reported. */
export function knownClustersOf(names: ReadonlySet<string>): KnownClusters | undefined {
  if (names.size === 0) return undefined;
  const digest = createHash('sha256');
  for (const name of names) digest.update(`${name}\u0000`);
  return { id: digest.digest('hex'), names };
}
