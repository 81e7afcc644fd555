import { by } from '../../collections/compare';
import type { RpcBlock } from '../../observation/test-client';
import type { ConfigEndpoint } from '../connections/list-config-endpoints';
import type { FailoverSimulation } from '../failover/schema';
import type { PeerComparison } from './schema';

/** An endpoint of the config whose hostname or address is the name of a server. */
export interface ConfiguredPeer {
  readonly peer: string;
  readonly cluster: string;
  readonly address: string;
}

/** Servers that endpoints of several clusters have as their name are left out: which cluster chose them is not known. */
export function findConfiguredPeers(
  endpoints: readonly Pick<ConfigEndpoint, 'cluster' | 'address' | 'hostname'>[],
  peers: readonly string[],
): ConfiguredPeer[] {
  const wanted = new Set(peers);
  const found = new Map<string, ConfiguredPeer[]>();
  for (const { cluster, address, hostname } of endpoints) {
    const peer = wanted.has(hostname) ? hostname : wanted.has(address) ? address : undefined;
    if (peer !== undefined) found.set(peer, [...(found.get(peer) ?? []), { peer, cluster, address }]);
  }
  return [...found.values()].flatMap((matches) => {
    const [first] = matches;
    const isOfOne = matches.every(({ cluster }) => cluster === first?.cluster);
    return first !== undefined && isOfOne ? [first] : [];
  });
}

/** An endpoint of the config that is a server of the interop tests. */
export type ConfiguredServer = Pick<ConfigEndpoint, 'cluster' | 'address' | 'hostname' | 'health'>;

/** Limits the servers of a page. */
const maxServers = 100;

/**
 * The endpoints of the clusters whose servers answered with their names, as only servers of the interop tests do, and those
 * with one of the addresses. A name that is in no endpoint can belong to any of them.
 */
export function findConfiguredServers(
  endpoints: readonly ConfiguredServer[],
  {
    names,
    peers,
    addresses,
  }: {
    readonly names: readonly string[];
    readonly peers: readonly ConfiguredPeer[];
    readonly addresses: readonly string[];
  },
): ConfiguredServer[] {
  const clusters = new Set(peers.map(({ cluster }) => cluster));
  const others = new Set(addresses);
  const isAny = peers.length < names.length;
  return endpoints
    .filter(({ cluster, address }) => isAny || clusters.has(cluster) || others.has(address))
    .slice(0, maxServers)
    .map(({ cluster, address, hostname, health }) => ({ cluster, address, hostname, health }));
}

/**
 * The measured shares of the servers of one cluster beside those that its config implies. An endpoint that answered no RPC
 * of the block has its address as its name. undefined: the config implies no shares.
 */
export function comparePeers(
  cluster: string,
  configured: readonly ConfiguredPeer[],
  { priorities, moments }: Pick<FailoverSimulation, 'priorities' | 'moments'>,
  counted: RpcBlock['peers'],
): PeerComparison | undefined {
  const [now] = moments;
  if (now === undefined) return undefined;
  const expected = new Map<string, number>();
  for (const [p, { localities }] of priorities.entries())
    for (const [l, { endpoints }] of localities.entries())
      for (const [e, { address }] of endpoints.entries()) {
        const share = now.grpc.endpoints[p]?.[l]?.[e] ?? 0;
        expected.set(address, (expected.get(address) ?? 0) + share);
      }
  const peers = new Map(configured.map(({ peer, address }) => [address, peer]));
  const counts = new Map(counted.map(({ peer, count }) => [peer, count]));
  const total = configured.reduce((sum, { peer }) => sum + (counts.get(peer) ?? 0), 0);
  const addresses = [...new Set([...peers.keys(), ...expected.keys()])];
  const rows = addresses.map((address) => {
    const peer = peers.get(address);
    const count = peer === undefined ? 0 : (counts.get(peer) ?? 0);
    const name = peer ?? address;
    return { peer: name, count, share: total === 0 ? 0 : count / total, expected: expected.get(address) };
  });
  const shown = rows.filter(({ count, expected: share = 0 }) => count > 0 || share > 0);
  return { cluster, rpcs: total, peers: shown.sort(by(({ peer }) => peer)) };
}
