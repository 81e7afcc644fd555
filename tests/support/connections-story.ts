import type { Connection, ConnectionFigures } from '@/lib/observation/connection';
import type { Observation } from '@/lib/observation/observation';
import { sampleNode, sampleReport } from './builders/observation-samples';

const begin = Date.UTC(2026, 0, 1);
const locality = { region: 'eu', zone: 'eu-1', subZone: 'rack-1' };
const figures: ConnectionFigures = {
  ...{ callsStarted: 120, callsSucceeded: 110, callsFailed: 9, lastCallStartedAt: begin },
  ...{ openStreams: 1, callsPerSecond: 5.5 },
};
const hostFigures: ConnectionFigures = {
  ...{ ...figures, lastCallStartedAt: null, callsPerSecond: null },
  ofHost: { openConnections: 2, connections: 12, failedConnections: 3, timeouts: 0, successRate: 93.5 },
};

const channelz = {
  vantage: 'channelz',
  sourceId: 'channelz:10.0.1.1:50051',
  clientId: 'shop',
  node: sampleNode('shop'),
  scope: 'xds:///cart',
} as const;
const envoy = {
  vantage: 'envoy-admin',
  sourceId: 'envoy-admin:10.0.1.2:9901',
  clientId: 'edge',
  node: sampleNode('edge'),
  scope: '',
} as const;

const channel: Connection = {
  ...{ id: 'channel 1', kind: 'channel', target: 'xds:///cart', channels: [], state: 'READY', since: begin },
  figures,
};
const subchannel: Connection = {
  ...{
    id: 'subchannel 2',
    kind: 'subchannel',
    target: '10.0.0.1:80',
    channels: ['channel 1'],
    state: 'READY',
  },
  ...{ since: begin - 60_000, isSinceFirstPoll: true, cluster: 'cart', locality, figures },
};
const management: Connection = {
  ...{ id: 'subchannel 5', kind: 'subchannel', target: '10.9.0.1:18000', channels: ['channel 4'] },
  ...{ state: 'READY', since: begin, localAddresses: ['10.0.1.1:40000'] },
};
const socket: Connection = {
  ...{ id: 'listener 7', kind: 'listener', target: '[::]:4400', channels: ['server 6'], state: 'READY' },
  ...{ since: begin, figures },
};
const host: Connection = {
  ...{ id: 'host cart P0 10.0.0.1:80', kind: 'host', target: '10.0.0.1:80', channels: [], state: 'HEALTHY' },
  ...{ since: begin, isSinceFirstPoll: true, cluster: 'cart', locality, figures: hostFigures },
};
const envoySocket: Connection = {
  ...{ id: 'listener web 0.0.0.0:80', kind: 'listener', name: 'web', target: '0.0.0.0:80', channels: [] },
  ...{ state: 'READY', since: begin },
};

/**
 * The connections of a gRPC client and of an Envoy, with every field, and their changes. The golden file of connections was
 * written from it: what it has stays as it is.
 */
export const connectionsStory: readonly Observation[] = [
  {
    ...{ ...channelz, kind: 'connections-changed', at: begin, isComplete: true, endedIds: [] },
    connections: [channel, subchannel, management, socket],
  },
  sampleReport({
    ...{ at: begin + 500, sourceId: envoy.sourceId, vantage: 'envoy-admin', clientId: 'edge' },
    node: envoy.node,
  }),
  {
    ...{ ...envoy, kind: 'connections-changed', at: begin + 600, isComplete: true, endedIds: [] },
    connections: [host, envoySocket],
  },
  {
    ...{ ...channelz, kind: 'connections-changed', at: begin + 1_000, endedIds: ['subchannel 5'] },
    connections: [
      {
        ...{ ...subchannel, state: 'TRANSIENT_FAILURE', since: begin + 900 },
        ...{ failingSince: begin + 900, lastError: 'connection refused' },
      },
    ],
  },
  ...(['EJECTED', 'UNHEALTHY', 'CONNECT_FAILURE', 'DRAINING', 'DEGRADED', 'HEALTHY'] as const).map(
    (state, index): Observation => {
      const at = begin + 2_000 + index;
      const { isSinceFirstPoll: _, ...changed } = { ...host, state, since: at };
      return { ...envoy, kind: 'connections-changed', at, endedIds: [], connections: [changed] };
    },
  ),
].map((observation) => JSON.parse(JSON.stringify(observation)));
