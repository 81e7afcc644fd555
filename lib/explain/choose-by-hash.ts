import { by } from '../collections/compare';
import { grpcClientOf } from '../lb/grpc-profile';
import { findInMaglev, findOnRing, type HashedHost, type RingSize } from '../lb/hash/hash-tables';
import { conditionCode } from '../lb/simulator/endpoint-condition';
import {
  type EndpointTable,
  endpointsOfLocality,
  endpointsOfPriority,
  localitiesOfPriority,
} from '../lb/simulator/endpoint-table';
import type { EnvoyView } from '../lb/simulator/envoy-view';
import type { GrpcView } from '../lb/simulator/grpc-view';
import type { SimulatorState } from '../lb/simulator/simulator-state';
import type { HashBalancing } from '../model/hash-balancing';

/** The index of the endpoint in the table, or the reason why it is not known. */
type HashChoice = number | string;

/** More orders of localities are not tried. */
const mostLocalities = 8;

/** The endpoint that an Envoy chooses for a request with this hash, which also chooses the priority. */
export function chooseInEnvoy(
  table: EndpointTable,
  state: SimulatorState,
  { split, panics }: EnvoyView,
  balancing: HashBalancing,
  hash: bigint,
): HashChoice {
  const { priorities } = table.cluster;
  if (new Set(priorities.map(({ cluster }) => cluster)).size > 1)
    return 'an aggregate chooses the cluster at random';
  if (balancing.isBounded) return 'hash_balance_factor: the requests of the moment count';
  if (balancing.usesHostname) return 'use_hostname_for_hashing: the names of the endpoints are not known';
  if (balancing.usesMurmurHash) return 'hash_function: MURMUR_HASH_2 is not computed';
  const loads = [
    ...split.priorities.map(({ healthyLoad }) => healthyLoad),
    ...split.priorities.map(({ degradedLoad }) => degradedLoad),
  ];
  let left = Number(hash % 100n) + 1;
  const at = loads.findIndex((load) => {
    left -= load;
    return left <= 0;
  });
  const priority = at % priorities.length;
  const own = priorities[priority];
  if (own === undefined) return 'no priority gets the request';
  if (own.envoy.detection.isHealthChecked && own.hasHosts === undefined)
    return 'the results of health_checks are not reported';
  const isPanic = panics[priority] === true;
  const isUsed = (index: number): boolean => isPanic || state.conditions[index] === conditionCode.healthy;
  if (findConditions(table, state, priority).includes(conditionCode.dead))
    return 'connections to an endpoint fail';
  const keyOf = (index: number): string => {
    const { hashKey, address } = endpointOf(table, index);
    return hashKey ?? address;
  };
  const of = (groups: readonly WeighedGroup[]): HashChoice => {
    const hosts = normalise(groups, keyOf, (index) => table.weights[index] ?? 1);
    if (hosts.length === 0) return 'no endpoint has a weight';
    if (new Set(hosts.map(({ key }) => key)).size < hosts.length)
      return 'two endpoints have the same hash key';
    const found =
      balancing.kind === 'ring'
        ? findOnRing(hosts, { minimum: balancing.minimumRingSize, maximum: balancing.maximumRingSize }, hash)
        : findInMaglev(hosts, balancing.tableSize, hash);
    return typeof found === 'string' ? found : (hosts[found]?.index ?? 'no endpoint is found');
  };
  const [first, last] = localitiesOfPriority(table, priority);
  const groups = Array.from({ length: last - first }, (_, place) => {
    const [from, to] = endpointsOfLocality(table, first + place);
    const indexes = Array.from({ length: to - from }, (_unused, index) => from + index).filter(isUsed);
    return {
      indexes,
      weight: state.weights[first + place] ?? 0,
      name: table.localities[first + place]?.name ?? '',
    };
  });
  if (!own.envoy.isLocalityWeighted)
    return of([{ indexes: groups.flatMap(({ indexes }) => indexes), weight: 1 }]);
  if (groups.length > mostLocalities) return `the order of ${groups.length} weighted localities is not known`;
  // The locality of the Envoy, if it is one of them, comes before the others.
  const sorted = [...groups].sort(by(({ name }) => name));
  const found = sorted.map((own) => of([own, ...sorted.filter((each) => each !== own)]));
  return new Set(found).size === 1 ? (found[0] ?? '') : 'it depends on the locality of the Envoy';
}

/** gRFC A42: one ring of all localities of the priority in use, by the weights of localities and endpoints. */
export function chooseInGrpc(
  table: EndpointTable,
  state: SimulatorState,
  { chosen, loads }: GrpcView,
  size: RingSize,
  hash: bigint,
): HashChoice {
  const conditions = findConditions(table, state, chosen);
  if (conditions.includes(conditionCode.dead) || conditions.includes(conditionCode.slow))
    return 'connections to an endpoint fail';
  // Measured: gRPC-Java 1.85 hashes the text form of a java.net.InetSocketAddress.
  const isJava = grpcClientOf(table.cluster.profile) === 'java';
  const [first, last] = localitiesOfPriority(table, chosen);
  const hosts: IndexedHost[] = [];
  const weights: string[] = [];
  for (let place = first; place < last; place++) {
    const [from, to] = endpointsOfLocality(table, place);
    for (let index = from; index < to; index++) {
      if ((loads.endpoints[index] ?? 0) === 0) continue;
      const { hashKey, address } = endpointOf(table, index);
      if (hashKey !== undefined) return 'an endpoint has a hash_key, which not every client reads';
      if (!/^[\d.]+:\d+$/.test(address))
        return 'an address that is not of IPv4 is hashed in a form that is not known';
      weights.push([state.weights[place], to - from, table.weights[index]].join());
      hosts.push({ index, key: isJava ? `/${address}` : address, weight: 0 });
    }
  }
  if (new Set(weights).size > 1) return 'endpoints have different weights';
  const found = findOnRing(
    hosts.map((each) => ({ ...each, weight: 1 / hosts.length })),
    size,
    hash,
  );
  return typeof found === 'string' ? found : (hosts[found]?.index ?? 'no endpoint is used');
}

interface WeighedGroup {
  readonly indexes: readonly number[];
  readonly weight: number;
}

interface IndexedHost extends HashedHost {
  readonly index: number;
}

/** As Envoy divides: first among the localities, then among the hosts of each. */
function normalise(
  groups: readonly WeighedGroup[],
  keyOf: (index: number) => string,
  weightOf: (index: number) => number,
): IndexedHost[] {
  const all = groups.reduce((sum, { weight }) => sum + weight, 0);
  return groups.flatMap(({ indexes, weight }) => {
    if (weight === 0) return [];
    const sum = indexes.reduce((total, index) => total + weightOf(index), 0);
    return indexes.map((index) => ({
      ...{ index, key: keyOf(index) },
      weight: (weightOf(index) * (weight / all)) / sum,
    }));
  });
}

function findConditions(table: EndpointTable, state: SimulatorState, priority: number): Uint8Array {
  return state.conditions.subarray(...endpointsOfPriority(table, priority));
}

function endpointOf(
  table: EndpointTable,
  index: number,
): EndpointTable['localities'][number]['endpoints'][number] {
  const place = table.localityStarts.findLastIndex((start) => start <= index);
  const found = table.localities[place]?.endpoints[index - (table.localityStarts[place] ?? 0)];
  return found ?? { address: '', health: '', weight: 1 };
}
