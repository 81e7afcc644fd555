import { routesOfHost } from '../model/route-config';
import type { LbMetadata } from '../model/subset';
import { normaliseResourceName } from '../xds/resource-name';
import type { ChainConfig, ListenerConfig } from './resolve-listener';
import type { SubsetRequests } from './subset-requests';
import type { ClusterUse } from './xds-config';

/** A route or TCP proxy. */
interface Origin {
  readonly how: 'routes' | 'tcpProxies';
  readonly criteria: LbMetadata | undefined;
  readonly doubt: string;
}

type FindRequests = (cluster: string, uses: readonly ClusterUse[]) => readonly SubsetRequests[];

/** Returns a function that finds the requests to a cluster by all routes and TCP proxies of the config, in their order. */
export function indexSubsetRequests({ chains }: Pick<ListenerConfig, 'chains'>): FindRequests {
  const named = new Map<string, Origin[]>();
  /** Headers and plugins can choose each cluster. */
  const dynamic: Origin[] = [];
  const add = (cluster: string, origin: Origin): void => {
    const name = normaliseResourceName(cluster);
    const origins = named.get(name);
    if (cluster === '') dynamic.push(origin);
    else if (origins === undefined) named.set(name, [origin]);
    else origins.push(origin);
  };
  for (const chain of chains) {
    for (const { name, weight, criteria } of chain.tcpClusters)
      if (weight > 0) add(name, { how: 'tcpProxies', criteria, doubt: doubtOfConnections(chain) });
    addRoutes(chain, add);
  }
  return (cluster, uses) => {
    const all = [...(named.get(normaliseResourceName(cluster)) ?? []), ...dynamic];
    return [...groupOrigins(all), ...findOthers(uses)];
  };
}

function addRoutes(chain: ChainConfig, add: (cluster: string, origin: Origin) => void): void {
  const ofChain =
    doubtOfConnections(chain) ||
    (chain.httpFilters.find(({ lbMetadataDoubt }) => lbMetadataDoubt !== undefined)?.lbMetadataDoubt ?? '');
  const overrides = 'the config of a filter for the route sets metadata';
  const tables = new Map(chain.routeConfigs.map(({ name, table }) => [name, table]));
  for (const { host, routeConfig } of chain.hosts) {
    const ofHost = host.setsLbMetadata || tables.get(routeConfig)?.setsLbMetadata ? overrides : '';
    for (const { route } of routesOfHost(host)) {
      const doubt = ofChain || ofHost || (route.setsLbMetadata ? overrides : '');
      const { action, criteria } = route;
      const origin = { how: 'routes', criteria, doubt } as const;
      if (action.kind === 'cluster') add(action.cluster, origin);
      if (action.kind === 'cluster-header' || action.kind === 'plugin') add('', origin);
      if (action.kind !== 'weighted') continue;
      for (const { name, weight, criteria: own } of action.clusters)
        if (weight > 0) add(name, { ...origin, criteria: own });
    }
  }
}

function doubtOfConnections({ setsLbMetadata }: ChainConfig): string {
  return setsLbMetadata ? 'a filter sets metadata of the connection' : '';
}

function groupOrigins(origins: readonly Origin[]): SubsetRequests[] {
  const groups = new Map<string, SubsetRequests>();
  for (const { how, criteria, doubt } of origins) {
    const id = doubt === '' ? criteriaKey(criteria) : doubt;
    const group = groups.get(id) ?? {
      ...{ id, criteria, routes: 0, tcpProxies: 0 },
      ...(doubt !== '' && { doubt }),
    };
    groups.set(id, { ...group, [how]: group[how] + 1 });
  }
  return [...groups.values()];
}

/** Identifies requests by their metadata, as SubsetRequests.id does. No metadata is chosen by as metadata without keys is. */
export function criteriaKey(criteria: LbMetadata = {}): string {
  return JSON.stringify(Object.fromEntries(Object.entries(criteria).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The requests that reach the cluster by no route. */
function findOthers(uses: readonly ClusterUse[]): SubsetRequests[] {
  const others = uses.filter(
    ({ how }) => how === 'aggregate' || how === 'mirror' || how === 'service' || how === 'plugin',
  );
  const [first] = others;
  if (first === undefined) return [];
  const by = `${first.by}${others.length > 1 ? ' and others' : ''}`;
  const doubt = `the metadata of requests by ${by} is not known`;
  return [{ id: 'others', criteria: undefined, doubt, by, routes: 0, tcpProxies: 0 }];
}
