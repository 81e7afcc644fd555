import { describe, expect, it } from 'vitest';
import {
  comparePeers,
  findConfiguredPeers,
  findConfiguredServers,
} from '@/lib/views/test-client/expected-shares';

const endpoints = [
  { cluster: 'a', address: '10.0.0.1:80', hostname: 'a1' },
  { cluster: 'a', address: '10.0.0.2:80', hostname: '' },
  { cluster: 'b', address: '10.0.0.3:80', hostname: 'b1' },
  { cluster: 'c', address: '10.0.0.3:80', hostname: 'b1' },
];

describe('the expected shares of servers', () => {
  it('belong to the endpoint with the name as its hostname or address, in a single cluster', () => {
    expect(findConfiguredPeers(endpoints, ['a1', '10.0.0.2:80', 'b1', 'other'])).toEqual([
      { peer: 'a1', cluster: 'a', address: '10.0.0.1:80' },
      { peer: '10.0.0.2:80', cluster: 'a', address: '10.0.0.2:80' },
    ]);
  });

  it('are compared with the RPCs of the cluster, and list an endpoint that answered none', () => {
    const listed = [
      { endpoints: ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.9:80'].map((address) => ({ address })) },
    ];
    const simulation = {
      priorities: [{ localities: listed }],
      moments: [{ grpc: { endpoints: [[[0.5, 0.5, 0]]] } }],
    } as unknown as Parameters<typeof comparePeers>[2];
    const configured = [{ peer: 'a1', cluster: 'a', address: '10.0.0.1:80' }];
    const counted = [
      { peer: 'a1', count: 30 },
      { peer: 'b1', count: 70 },
    ];
    expect(comparePeers('a', configured, simulation, counted)).toEqual({
      ...{ cluster: 'a', rpcs: 30 },
      peers: [
        { peer: '10.0.0.2:80', count: 0, share: 0, expected: 0.5 },
        { peer: 'a1', count: 30, share: 1, expected: 0.5 },
      ],
    });
    expect(comparePeers('a', configured, { ...simulation, moments: [] }, counted)).toBeUndefined();
  });
});

describe('the servers that can be set', () => {
  const all = endpoints.map((endpoint) => ({ ...endpoint, health: 'HEALTHY' }));
  const addressesOf = (addresses: readonly string[], ...names: readonly string[]) => {
    const peers = findConfiguredPeers(endpoints, names);
    return findConfiguredServers(all, { names, peers, addresses }).map(
      ({ cluster, address }) => `${cluster} ${address}`,
    );
  };

  it('are all endpoints of a cluster of which one answered with its name', () => {
    expect(addressesOf([], 'a1')).toEqual(['a 10.0.0.1:80', 'a 10.0.0.2:80']);
    expect(addressesOf([])).toEqual([]);
    expect(addressesOf([], 'a1', 'in no endpoint')).toHaveLength(4);
  });

  it('are those that were set before, in each cluster, and no address that is no endpoint', () => {
    expect(addressesOf(['10.0.0.3:80', '169.254.169.254:80'])).toEqual(['b 10.0.0.3:80', 'c 10.0.0.3:80']);
  });
});
