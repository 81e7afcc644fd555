import type { ClusterLoad, LocalityLoad, Uint64 } from '../observation/observation';

/** The name of the cluster to which load beyond a limit is added, so that totals remain correct. */
export const overflowCluster = '(beyond the limit)';

/** Decides which rows of a report have room. Called in the order of the report, with a cluster before its rows. */
export interface LoadAdmission {
  cluster(cluster: ClusterLoad): boolean;
  locality(cluster: ClusterLoad, locality: LocalityLoad): boolean;
  category(cluster: ClusterLoad, category: string): boolean;
}

export interface FittedLoad {
  readonly clusters: readonly ClusterLoad[];
  /** The number of clusters, localities and drop categories without room. */
  readonly overflowed: number;
}

/**
 * Returns the part of a report that has room. The requests and drops of the rest are added up as one locality of one more
 * cluster, without endpoints, named metrics and drop categories. Drops remain in the total of their cluster.
 */
export function fitLoad(report: readonly ClusterLoad[], admission: LoadAdmission): FittedLoad {
  const clusters: ClusterLoad[] = [];
  const overflow = new Overflow();
  for (const cluster of report) {
    if (!admission.cluster(cluster)) {
      overflow.addCluster(cluster);
      continue;
    }
    const localities = cluster.localities.filter((load) => {
      if (admission.locality(cluster, load)) return true;
      overflow.addLocality(cluster, load);
      return false;
    });
    const dropped = cluster.dropped.filter(({ category }) => admission.category(cluster, category));
    overflow.rows += cluster.dropped.length - dropped.length;
    const isWhole =
      localities.length === cluster.localities.length && dropped.length === cluster.dropped.length;
    clusters.push(isWhole ? cluster : { ...cluster, localities, dropped });
  }
  if (overflow.rows === 0) return { clusters: report, overflowed: 0 };
  return { clusters: [...clusters, ...overflow.clusters()], overflowed: overflow.rows };
}

const sumFields = [
  ...(['successful', 'errors', 'inProgress', 'newConnections'] as const),
  ...(['failedConnections', 'activeConnections'] as const),
] as const;

class Overflow {
  rows = 0;
  #hasLoad = false;
  #hasLocality = false;
  #intervalMs: number | null = null;
  #dropped = 0n;
  /** null if a locality does not report it. */
  #issued: bigint | null = 0n;
  readonly #sums = new Map<(typeof sumFields)[number], bigint>();

  addCluster(cluster: ClusterLoad): void {
    this.#hasLoad = true;
    this.rows += 1 + cluster.dropped.length;
    this.#dropped += BigInt(cluster.totalDropped);
    this.#noteInterval(cluster);
    for (const load of cluster.localities) this.addLocality(cluster, load);
  }

  addLocality(cluster: ClusterLoad, load: LocalityLoad): void {
    this.#hasLoad = true;
    this.#hasLocality = true;
    this.rows += 1;
    this.#noteInterval(cluster);
    for (const field of sumFields)
      this.#sums.set(field, (this.#sums.get(field) ?? 0n) + BigInt(load[field] ?? '0'));
    this.#issued = this.#issued === null || load.issued === null ? null : this.#issued + BigInt(load.issued);
  }

  /** The clusters of one report cover the same time. */
  #noteInterval({ intervalMs }: ClusterLoad): void {
    if (intervalMs !== null) this.#intervalMs = Math.max(this.#intervalMs ?? 0, intervalMs);
  }

  clusters(): ClusterLoad[] {
    if (!this.#hasLoad) return [];
    const sumOf = (field: (typeof sumFields)[number]): Uint64 => String(this.#sums.get(field) ?? 0n);
    const locality: LocalityLoad = {
      locality: { region: '', zone: '', subZone: '' },
      priority: 0,
      ...{ successful: sumOf('successful'), errors: sumOf('errors'), inProgress: sumOf('inProgress') },
      issued: this.#issued === null ? null : String(this.#issued),
      ...{ newConnections: sumOf('newConnections'), failedConnections: sumOf('failedConnections') },
      activeConnections: sumOf('activeConnections'),
    };
    return [
      {
        ...{ clusterName: overflowCluster, clusterServiceName: '', intervalMs: this.#intervalMs },
        ...{ totalDropped: String(this.#dropped), dropped: [] },
        localities: this.#hasLocality ? [locality] : [],
      },
    ];
  }
}
