import { grpcProfileOf } from '../lb/grpc-profile';
import type { RingSize } from '../lb/hash/hash-tables';
import {
  type EndpointTable,
  endpointsOfLocality,
  localitiesOfPriority,
} from '../lb/simulator/endpoint-table';
import { viewEnvoy } from '../lb/simulator/envoy-view';
import { viewGrpc } from '../lb/simulator/grpc-view';
import type { SimulatorState } from '../lb/simulator/simulator-state';
import { initialState, openSimulation } from '../lb/simulator/step-failover';
import { trafficOfCluster } from '../lb/simulator/traffic-of-cluster';
import { whyNoShares } from '../lb/simulator/why-no-shares';
import type { HashBalancing } from '../model/hash-balancing';
import type { ChosenBy } from '../resolve/choose-for-request';
import type { ClusterEntry } from '../resolve/xds-config';
import { clientOf, type Profile } from '../xds/profile';
import { chooseInEnvoy, chooseInGrpc } from './choose-by-hash';
import type { RequestHash } from './hash-of-request';
import type { PossibleEndpoint } from './trace';

interface ClusterConfigs {
  readonly findCluster: (name: string) => ClusterEntry | undefined;
}

/** The hash of a request, and the ring or table in which the client finds an endpoint by it. */
export interface Hashing {
  readonly request: RequestHash;
  /** Absent: the client is no Envoy. */
  readonly envoy?: HashBalancing;
  /** Absent: the client is an Envoy. */
  readonly ring?: RingSize;
}

interface EndpointsFound {
  readonly endpoints: readonly PossibleEndpoint[];
  /** True if the hash of the request decides among them, and is known. */
  readonly isByHash: boolean;
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
  hashing?: Hashing,
): EndpointsFound {
  const isEnvoy = clientOf(profile) === 'envoy';
  const traffic = trafficOfCluster(
    cluster,
    grpcProfileOf(profile),
    findCluster,
    isEnvoy ? chosenBy : undefined,
  );
  if (typeof traffic === 'string')
    return { endpoints: [], isByHash: false, isNoneChosen: false, isByZone: false, notes: [traffic] };
  const unknown = whyNoShares(traffic.cluster, isEnvoy ? 'envoy' : 'grpc');
  const simulation = openSimulation(traffic.cluster);
  const { table } = simulation;
  const state = initialState(simulation);
  const { shares, choose } = isEnvoy
    ? openEnvoy(table, state, hashing)
    : openGrpc(table, state, simulation.groups, hashing);
  const hashed = unknown === '' && hashing && choose ? chooseByHash(hashing.request, choose) : undefined;
  const loads =
    hashed?.endpoint === undefined
      ? shares
      : new Float64Array(table.size).fill(1, hashed.endpoint, hashed.endpoint + 1);
  const endpoints: PossibleEndpoint[] = [];
  let used = 0;
  traffic.cluster.priorities.forEach(({ name: priority }, at) => {
    const [first, last] = localitiesOfPriority(table, at);
    for (let place = first; place < last; place++) {
      const locality = table.localities[place];
      const [from] = endpointsOfLocality(table, place);
      locality?.endpoints.forEach(({ address }, index) => {
        const share = loads[from + index] ?? 0;
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
  const byHash = hashed === undefined ? [] : [hashed.note];
  const notes = [...(unknown === '' ? [] : [unknown]), ...byHash, ...traffic.notes, ...cut];
  const isNoneChosen = isEnvoy && unknown === '' && used === 0;
  const isByZone = isEnvoy && traffic.cluster.priorities.some(({ zone }) => zone !== undefined);
  const isByHash = hashed?.endpoint !== undefined;
  return {
    ...{ endpoints, isByHash, isNoneChosen, isByZone },
    notes: isEnvoy ? [...notes, ...traffic.envoyNotes] : notes,
  };
}

interface Opened {
  /** One for each endpoint of the table. */
  readonly shares: Float64Array;
  /** Finds an endpoint by a hash; absent: the cluster does not choose by one. */
  readonly choose?: ((hash: bigint) => number | string) | undefined;
}

function openEnvoy(table: EndpointTable, state: SimulatorState, hashing: Hashing | undefined): Opened {
  const view = viewEnvoy(table, state);
  const balancing = hashing?.envoy;
  const choose = balancing && ((hash: bigint) => chooseInEnvoy(table, state, view, balancing, hash));
  return { shares: view.loads.endpoints, choose };
}

function openGrpc(
  table: EndpointTable,
  state: SimulatorState,
  groups: readonly (readonly number[])[],
  hashing: Hashing | undefined,
): Opened {
  const view = viewGrpc(table, groups, state);
  const ring = hashing?.ring;
  const choose = ring && ((hash: bigint) => chooseInGrpc(table, state, view, ring, hash));
  return { shares: view.loads.endpoints, choose };
}

function chooseByHash(
  request: RequestHash,
  choose: (hash: bigint) => number | string,
): { readonly endpoint?: number; readonly note: string } {
  if (request.kind === 'none')
    return { note: 'no hash policy applies to the request: its hash is a random number' };
  if (request.kind === 'depends') return { note: `the hash of the request is not known: ${request.reason}` };
  const found = choose(request.hash);
  if (typeof found === 'string') return { note: `the position of the hash is not known: ${found}` };
  return { endpoint: found, note: `the hash of ${request.by} chooses it` };
}
