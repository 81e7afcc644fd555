import { describe, expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { packFigures } from '@/lib/observation/packed-figures';
import { buildConnections } from '@/lib/views/connections/build-connections';
import { joinConfig } from '@/lib/views/connections/join-config';
import type { ConfigEndpoint } from '@/lib/views/connections/list-config-endpoints';
import { connectionsQuery } from '@/lib/views/connections/schema';
import { sampleConnection } from '@/tests/support/builders/observation-samples';

const endpoints = ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'].map((address): ConfigEndpoint => {
  const place = { cluster: 'cart', priority: 0, address, hostname: '', addresses: [address] };
  return { ...place, health: 'HEALTHY', excludedBecause: '', weight: undefined, isDns: false };
});
const channel = (id: string, target: string): Connection => {
  return { ...sampleConnection, id, kind: 'channel', target, channels: [] };
};
const subchannel = (id: number, of: string, target: string, more: Partial<Connection> = {}): Connection => {
  return { ...sampleConnection, id: `subchannel ${id}`, target, channels: [of], ...more };
};
const figures = (callsStarted: number) => ({
  ...{ callsStarted, callsSucceeded: 0, callsFailed: 0, lastCallStartedAt: null },
  ...{ openStreams: null, callsPerSecond: null },
});
const story = [
  channel('channel 1', 'xds:///cart'),
  channel('channel 2', 'dns:///10.9.0.1:18000'),
  channel('channel 3', '10.9.0.2:5432'),
  subchannel(1, 'channel 1', '10.0.0.1:80', { figures: figures(5) }),
  subchannel(2, 'channel 1', '10.0.0.2:80', {
    ...{ state: 'TRANSIENT_FAILURE', failingSince: 2_000, lastError: 'i/o timeout', figures: figures(9) },
  }),
  subchannel(3, 'channel 2', '10.9.0.1:18000', { localAddresses: ['10.0.0.7:4000'] }),
  subchannel(4, 'channel 3', '10.9.0.2:5432', { state: 'TRANSIENT_FAILURE', lastError: 'no route to host' }),
];

function build(query: object, serverAddresses: readonly string[] = [], connections = story) {
  const config = { endpoints, listeners: [], managementClusters: [], hasOutlierDetection: false };
  const joined = joinConfig(config, connections);
  return buildConnections(
    { joined, figures: packFigures(connections), serverAddresses, servesAnyAddress: false },
    connectionsQuery.parse(query),
  );
}
const addresses = (query: object) => build(query).endpoints.items.map(({ address }) => address);

describe('the connections of a client', () => {
  it('are counted, and sorted by cluster, priority, locality and address', () => {
    const { counts, endpoints: page } = build({});
    expect(counts).toMatchObject({ endpoints: 3, ready: 1, failing: 1, disagreements: 1 });
    expect([page.total, page.items.map(({ address }) => address)]).toEqual([
      3,
      endpoints.map(({ address }) => address),
    ]);
  });

  it('are filtered by disagreement and by text, and paged', () => {
    expect(addresses({ only: 'disagreements' })).toEqual(['10.0.0.2:80']);
    expect(addresses({ q: 'TIMEOUT' })).toEqual(['10.0.0.2:80']);
    expect(addresses({ q: 'cart', offset: 1, limit: 1 })).toEqual(['10.0.0.2:80']);
  });

  it('are sorted by a column, with rows that have no value at the end', () => {
    expect(addresses({ sort: 'started' })).toEqual(['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80']);
    expect(addresses({ sort: '-started' })).toEqual(['10.0.0.2:80', '10.0.0.1:80', '10.0.0.3:80']);
    expect(addresses({ sort: 'error' })[0]).toBe('10.0.0.2:80');
    expect(connectionsQuery.safeParse({ sort: 'colour' }).success).toBe(false);
  });

  it('have the counts of all subchannels of an address, and none of what one of them does not report', () => {
    const counts = { ...figures(3), callsSucceeded: 2, callsFailed: 1, lastCallStartedAt: 5_000 };
    const both = [
      channel('channel 1', 'xds:///cart'),
      subchannel(1, 'channel 1', '10.0.0.1:80', {
        figures: { ...counts, openStreams: 1, callsPerSecond: 0.5 },
      }),
      subchannel(2, 'channel 1', '10.0.0.1:80', { figures: { ...counts, callsPerSecond: 0.5 } }),
    ];
    expect(build({}, [], both).endpoints.items[0]?.connection?.figures).toEqual({
      ...{ callsStarted: 6, callsSucceeded: 4, callsFailed: 2 },
      ...{ lastCallStartedAt: 5_000, openStreams: null, callsPerSecond: 1 },
    });
  });

  it('have the channels to management servers apart from the channels of xDS, with the error of a subchannel', () => {
    const { channels, servers } = build({});
    expect(channels.map(({ target }) => target)).toEqual(['xds:///cart']);
    expect(servers.map(({ target, lastError }) => [target, lastError])).toEqual([
      ['dns:///10.9.0.1:18000', ''],
      ['10.9.0.2:5432', 'no route to host'],
    ]);
    expect(servers.some(({ isManagementServer }) => isManagementServer)).toBe(false);
  });

  it.each([
    ['the address of the server', '10.9.0.1:18000'],
    ['the own address of the stream', '10.0.0.7:4000'],
  ])('lead to a management server by %s', (_, address) => {
    expect(build({}, [address]).servers.map(({ isManagementServer }) => isManagementServer)).toEqual([
      true,
      false,
    ]);
  });

  it('of an Envoy are its hosts, and those of the clusters of its bootstrap are management servers', () => {
    const host = (cluster: string, target: string, more: Partial<Connection> = {}): Connection => {
      return {
        ...sampleConnection,
        id: `host ${cluster}`,
        kind: 'host',
        channels: [],
        cluster,
        target,
        ...more,
      };
    };
    const ejected = { state: 'EJECTED', failingSince: 2_000 } as const;
    const hosts = [host('cart', '10.0.0.1:80', ejected), host('xds', '10.9.0.1:18000', { state: 'HEALTHY' })];
    const config = { endpoints, listeners: [], managementClusters: ['xds'], hasOutlierDetection: false };
    const built = buildConnections(
      { joined: joinConfig(config, hosts), figures: null, serverAddresses: [], servesAnyAddress: false },
      connectionsQuery.parse({}),
    );
    expect(built.servers).toMatchObject([
      { target: '10.9.0.1:18000', state: 'HEALTHY', isManagementServer: true },
    ]);
    expect(built.counts).toMatchObject({ endpoints: 3, ready: 0, failing: 1, disagreements: 1 });
    expect(built.endpoints.items.map(({ absence }) => absence)).toEqual([
      undefined,
      'no-host',
      'no-host',
      undefined,
    ]);
  });
});
