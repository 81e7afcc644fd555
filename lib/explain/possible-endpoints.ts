import { grpcProfileOf } from '../lb/grpc-profile';
import { endpointsOfLocality, localitiesOfPriority } from '../lb/simulator/endpoint-table';
import { viewEnvoy } from '../lb/simulator/envoy-view';
import { viewGrpc } from '../lb/simulator/grpc-view';
import { initialState, openSimulation } from '../lb/simulator/step-failover';
import { trafficOfCluster } from '../lb/simulator/traffic-of-cluster';
import { whyNoShares } from '../lb/simulator/why-no-shares';
import type { ChosenBy } from '../resolve/choose-for-request';
import type { ClusterEntry } from '../resolve/xds-config';
import { clientOf, type Profile } from '../xds/profile';
import type { PossibleEndpoint } from './trace';

interface ClusterConfigs {
  readonly findCluster: (name: string) => ClusterEntry | undefined;
}

interface EndpointsFound {
  readonly endpoints: readonly PossibleEndpoint[];
  /** True if every request fails, as no endpoint can be chosen. */
  readonly isNoneChosen: boolean;
  /** True if the zone of the client decides among them. */
  readonly isByZone: boolean;
  /** What is not known of the shares, or what the choice depends on; empty if nothing. */
  readonly notes: readonly string[];
}

/** Limits the list; clusters can have thousands of endpoints. */
const mostListed = 50;

/** The endpoints that requests to the cluster can reach, with their shares if these are known. */
export function findPossibleEndpoints(
  cluster: string,
  profile: Profile,
  { findCluster }: ClusterConfigs,
  chosenBy: ChosenBy,
): EndpointsFound {
  const isEnvoy = clientOf(profile) === 'envoy';
  const traffic = trafficOfCluster(
    cluster,
    grpcProfileOf(profile),
    findCluster,
    isEnvoy ? chosenBy : undefined,
  );
  if (typeof traffic === 'string')
    return { endpoints: [], isNoneChosen: false, isByZone: false, notes: [traffic] };
  const unknown = whyNoShares(traffic.cluster, isEnvoy ? 'envoy' : 'grpc');
  const simulation = openSimulation(traffic.cluster);
  const { table } = simulation;
  const state = initialState(simulation);
  const { loads } = isEnvoy ? viewEnvoy(table, state) : viewGrpc(table, simulation.groups, state);
  const endpoints: PossibleEndpoint[] = [];
  let used = 0;
  traffic.cluster.priorities.forEach(({ name: priority }, at) => {
    const [first, last] = localitiesOfPriority(table, at);
    for (let place = first; place < last; place++) {
      const locality = table.localities[place];
      const [from] = endpointsOfLocality(table, place);
      locality?.endpoints.forEach(({ address }, index) => {
        const share = loads.endpoints[from + index] ?? 0;
        if (share === 0 && unknown === '') return;
        used += 1;
        if (endpoints.length >= mostListed) return;
        const known = unknown === '' && { percent: share * 100 };
        endpoints.push({ address, priority, locality: locality.name, ...known });
      });
    }
  });
  const cut =
    used > endpoints.length ? [`the first ${endpoints.length} of ${used} endpoints are listed`] : [];
  const notes = [...(unknown === '' ? [] : [unknown]), ...traffic.notes, ...cut];
  const isNoneChosen = isEnvoy && unknown === '' && used === 0;
  const isByZone = isEnvoy && traffic.cluster.priorities.some(({ zone }) => zone !== undefined);
  return { endpoints, isNoneChosen, isByZone, notes: isEnvoy ? [...notes, ...traffic.envoyNotes] : notes };
}
