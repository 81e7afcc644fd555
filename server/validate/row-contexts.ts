import { createHash } from 'node:crypto';
import type { ResourceRow } from '@/lib/api/schema';
import type { RuleContext } from '@/lib/validate/rule';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { inSlices } from '../threads/in-slices';

/** What the rules are told of a body besides its bytes. */
export interface BodyContext {
  /** The same for equal contexts. */
  readonly id: string;
  readonly rules: RuleContext;
}

type Key = Pick<ResourceRow, 'typeUrl' | 'name' | 'canonicalName'>;

/**
 * What a client's rows, and its bootstrap where that is ours, say to the rules about one of them; undefined: nothing.
 * Each type is told only what its rules ask for, so that a new cluster has no other cluster judged anew.
 */
export async function findRowContexts(
  rows: readonly ResourceRow[],
  certificateProviders: ReadonlySet<string> | null,
): Promise<(row: Key) => BodyContext | undefined> {
  const clusters = await findClusters(rows);
  const providers = certificateProviders ?? undefined;
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
function endpointsContext({ name, canonicalName }: Key): BodyContext | undefined {
  if (name === '' || canonicalName !== undefined || /^xdstp:/i.test(name)) return undefined;
  return { id: name, rules: { subscribedName: name } };
}

interface KnownClusters {
  readonly id: string;
  readonly names: ReadonlySet<string>;
}

/** By list of rows: as long as a client stays the same its list does. */
const known = new WeakMap<readonly ResourceRow[], KnownClusters | undefined>();

/** undefined for a client of which no cluster is told. */
async function findClusters(rows: readonly ResourceRow[]): Promise<KnownClusters | undefined> {
  if (known.has(rows)) return known.get(rows);
  const names = new Set<string>();
  const digest = createHash('sha256');
  await inSlices(rows, ({ typeUrl, name, clientStatus }) => {
    // What was only asked for, or is said not to be there, is no cluster.
    if (typeUrl !== CDS.typeUrl || clientStatus === 'REQUESTED' || clientStatus === 'DOES_NOT_EXIST') return;
    names.add(name);
    digest.update(`${name}\u0000`);
  });
  const found = names.size === 0 ? undefined : { id: digest.digest('hex'), names };
  known.set(rows, found);
  return found;
}
