import { formatLocality } from '../format/locality';
import { bootstrapTypeUrl } from '../model/bootstrap';
import type { ClusterModel } from '../model/cluster';
import { usualPanicThreshold } from '../model/cluster-balancing';
import { type Endpoint, type LoadAssignment, localityKey } from '../model/endpoints';
import { envoyPolicyOf } from '../model/envoy-policy';
import { isTooSmallForZones, type ZoneRouting } from '../model/zone-config';
import type { Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';
import { CDS, EDS } from '../xds/resource-type';
import { endpointsInUse } from './cluster-endpoints';
import type { ResourceStore } from './resource-store';
import { splitZones } from './split-zones';

/** The hosts of the local cluster, and its EDS resource; a text states why they are not known. */
interface LocalCluster {
  readonly assignment: LoadAssignment | string;
  readonly edsName?: string;
}

/**
 * How the zone of the client decides among the endpoints of the first priority, which needs local_cluster_name of the bootstrap and
 * hosts in more than one locality; locality weights exclude it. A text states which input is not known. undefined: it does not decide.
 */
export function findZoneRouting(
  store: ResourceStore,
  { balancing }: ClusterModel,
  assignment: LoadAssignment | null,
  profile: Profile,
): ZoneRouting | string | undefined {
  const { policy, isWeighted, zone: config } = envoyPolicyOf(balancing);
  const [first] = assignment?.priorities ?? [];
  const localities = first?.localities.filter(({ endpoints }) => endpoints.length > 0) ?? [];
  if (first === undefined || first.priority !== 0 || localities.length < 2 || isWeighted) return undefined;
  if (policy === 'ring_hash' || policy === 'maglev' || policy === 'other') return undefined;
  if (assignment === null || isTooSmallForZones(config, assignment)) return undefined;
  const bootstrap = store.ofKind(bootstrapTypeUrl, 'bootstrap')[0]?.model;
  if (bootstrap === undefined)
    return config.isSet
      ? 'zone_aware_lb_config: hosts in the zone of the client are preferred if its bootstrap has local_cluster_name, which is not reported'
      : undefined;
  const { localCluster, locality } = bootstrap;
  if (localCluster === '') return undefined;
  const keys = localities.map((each) => localityKey(each.locality));
  const { assignment: local } = findLocalCluster(store, localCluster, profile);
  const unknown = [
    ...config.notModelled.map((field) => `zone_aware_lb_config.${field} is not modelled`),
    ...(policy === 'client_side_weighted_round_robin' ? ['it is not modelled with this policy'] : []),
    ...(locality === undefined ? ['the bootstrap has no node.locality'] : []),
    ...(new Set(keys).size < keys.length ? ['a locality is listed twice'] : []),
    ...(typeof local === 'string' ? [local] : []),
  ];
  if (unknown.length > 0 || locality === undefined || typeof local === 'string')
    return `local_cluster_name: by zone aware routing, shares depend on the hosts of cluster "${localCluster}" in each zone, and ${unknown.join(', and ')}`;
  const counts = new Map<string, number>();
  let [available, counted] = [0, 0];
  for (const { locality: of, endpoints } of local.priorities.find((each) => each.priority === 0)
    ?.localities ?? [])
    for (const { health } of endpoints) {
      const isHealthy = isHealthyEndpoint({ health });
      counts.set(localityKey(of), (counts.get(localityKey(of)) ?? 0) + (isHealthy ? 1 : 0));
      available += isHealthy || health === 'DEGRADED' ? 1 : 0;
      counted += health === 'DRAINING' ? 0 : 1;
    }
  const own = localityKey(locality);
  const threshold = Math.min(100, balancing.panicThreshold ?? usualPanicThreshold);
  return {
    ...{ config, localCluster },
    own: first.localities.findIndex(
      (each) => each.endpoints.length > 0 && localityKey(each.locality) === own,
    ),
    localHosts: first.localities.map((each) => counts.get(localityKey(each.locality)) ?? 0),
    allLocalHosts: [...counts.values()].reduce((sum, each) => sum + each, 0),
    isOwnInLocal: counts.has(own),
    isLocalInPanic: counted === 0 ? threshold > 0 : (100 * available) / counted < threshold,
  };
}

/**
 * States that every request is sent to localities all of whose endpoints fail, as measured. undefined: not so, or not known, as with
 * several priorities.
 */
export function findZoneFailure(zone: ZoneRouting, { priorities }: LoadAssignment): string | undefined {
  const [{ localities } = { localities: [] }, ...others] = priorities;
  const healthy = localities.map(({ endpoints }) => endpoints.filter(isHealthyEndpoint));
  const { shares, decided, reason } = splitZones(
    zone,
    healthy.map(({ length }) => length),
  );
  if (shares === null || decided < 1 || others.length > 0) return undefined;
  const isFailing = (at: number): boolean =>
    localities[at]?.isFailing === true || healthy[at]?.every(({ failure }) => failure !== undefined) === true;
  const reached = localities.flatMap((each, at) => ((shares[at] ?? 0) > 0 ? [{ each, at }] : []));
  if (reached.length === 0 || !reached.every(({ at }) => isFailing(at))) return undefined;
  const names = reached.map(({ each }) => formatLocality(each.locality)).join(', ');
  return `zone aware routing sends every request to locality ${names}, where each endpoint fails: ${reason}`;
}

export function findLocalCluster(store: ResourceStore, name: string, profile: Profile): LocalCluster {
  const notReported = `cluster "${name}" is not reported`;
  const cluster = store.standingOf(CDS.typeUrl, normaliseResourceName(name), 'cluster', 'the bootstrap');
  if (cluster.kind !== 'data') return { assignment: notReported };
  const { model, used } = cluster;
  const context = { store, name, profile };
  if (model.discovery.kind === 'static')
    return { assignment: endpointsInUse(context, model.discovery.assignment, used, model).assignment };
  if (model.discovery.kind !== 'eds')
    return { assignment: `the addresses of cluster "${name}" are not reported` };
  const edsName = normaliseResourceName(model.discovery.serviceName);
  const eds = store.standingOf(EDS.typeUrl, edsName, 'endpoints', `cluster "${name}"`);
  if (eds.kind !== 'data') return { edsName, assignment: `its endpoints are not reported` };
  const doubt = used.doubt ?? eds.used.doubt;
  return { edsName, assignment: doubt ?? endpointsInUse(context, eds.model, eds.used, model).assignment };
}

function isHealthyEndpoint({ health }: Pick<Endpoint, 'health'>): boolean {
  return health === 'HEALTHY' || health === 'UNKNOWN';
}
