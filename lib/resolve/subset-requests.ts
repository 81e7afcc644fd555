import { formatCounted } from '../format/count';
import { formatLbMetadata, type LbMetadata } from '../model/subset';

/** The requests to a cluster that have the same metadata, by which an Envoy chooses a subset of the hosts. */
export interface SubsetRequests {
  /** Identifies them among those to the cluster, also after the config has changed. */
  readonly id: string;
  /** metadata_match of the route, with that of the weighted cluster over it; undefined: there is none. */
  readonly criteria: LbMetadata | undefined;
  /** Why the metadata is not known; absent: it is. */
  readonly doubt?: string | undefined;
  /** The number of routes that lead to the cluster. */
  readonly routes: number;
  readonly tcpProxies: number;
  /** What sends them, if it is neither, as in 'aggregate cluster "both"'. */
  readonly by?: string;
}

/** As in "requests with version=1 (3 routes)". */
export function describeSubsetRequests({ criteria, doubt, routes, tcpProxies, by }: SubsetRequests): string {
  const isNone = criteria === undefined || Object.keys(criteria).length === 0;
  const which =
    doubt !== undefined
      ? by === undefined
        ? 'whose metadata is not known'
        : `by ${by}`
      : isNone
        ? 'without metadata_match'
        : `with ${formatLbMetadata(criteria)}`;
  const counts = [
    ...(routes > 0 ? [formatCounted(routes, 'route')] : []),
    ...(tcpProxies > 0 ? [formatCounted(tcpProxies, 'TCP proxy', 'TCP proxies')] : []),
  ];
  return `requests ${which}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`;
}
