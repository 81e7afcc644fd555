import type { Count } from '../../load/count';
import type { LoadPart } from '../../load/load-series';
import type { Vantage } from '../../observation/observation';
import type { EpochMs } from '../../xds/units';

/** A cluster, or a locality or drop category of one, which clients share. */
export interface SharedRow {
  readonly key: string;
  /** The key within its cluster; see loadPartKey(). */
  readonly partKey: string;
  readonly clusterName: string;
  readonly clusterServiceName: string;
  readonly part: LoadPart;
  /** Older rows have smaller numbers. */
  readonly order: number;
  /** The number of clients with the row. */
  users: number;
}

export interface ClientSums {
  readonly sourceId: string;
  readonly clientId: string;
  readonly vantage: Vantage;
  /** The key is that of the row. */
  readonly clusters: Map<string, ClusterSums>;
  /** The number of clusters, localities and drop categories. */
  rows: number;
}

export interface ClusterSums {
  readonly client: ClientSums;
  readonly row: SharedRow;
  readonly firstAt: EpochMs;
  lastAt: EpochMs;
  reports: number;
  intervalMs: number | null;
  totalDropped: Count;
  /** The keys of these maps are those within the cluster. Absent: there are no drops. */
  dropped?: Map<string, { readonly row: SharedRow; count: Count }>;
  readonly localities: Map<string, LocalitySums>;
}

export interface LocalitySums {
  readonly row: SharedRow;
  successful: Count;
  errors: Count;
  /** Undefined after a report that lacks it. */
  issued: Count | undefined;
  inProgress: Count;
  /** The rates are those of the newest report on the locality; undefined without an interval. */
  successfulPerSecond: number | undefined;
  errorsPerSecond: number | undefined;
}
