import type { LoadRow } from '@/lib/api/schema';

type LocalityLoad = LoadRow['localities'][number];

/** One row: a locality of a cluster of a client; without a locality, a cluster that only reported drops. */
export interface LoadLine {
  readonly id: string;
  readonly row: LoadRow;
  readonly load: LocalityLoad | null;
}

export function buildLoadLines(rows: readonly LoadRow[]): LoadLine[] {
  return rows.flatMap((row): LoadLine[] => {
    const { clientId, clusterName, clusterServiceName } = row;
    const cluster = [clientId, clusterName, clusterServiceName];
    if (row.localities.length === 0) return [{ id: JSON.stringify(cluster), row, load: null }];
    return row.localities.map((load) => {
      const { region, zone, subZone } = load.locality;
      return { id: JSON.stringify([...cluster, region, zone, subZone, load.priority]), row, load };
    });
  });
}
