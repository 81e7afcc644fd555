import type { ResourceRow } from '@/lib/observation/resource-row';
import { inSlices } from '../threads/in-slices';
import {
  buildRowContexts,
  type ContextOf,
  isKnownCluster,
  type KnownClusters,
  knownClustersOf,
} from './build-row-contexts';

/** As buildRowContexts(), of all that the rows say of clusters, however many they are. */
export async function findRowContexts(
  rows: readonly ResourceRow[],
  certificateProviders: Iterable<string> | null,
): Promise<ContextOf> {
  return buildRowContexts(await findClusters(rows), certificateProviders);
}

/** By list of rows: as long as a client stays the same its list does. */
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
