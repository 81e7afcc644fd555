import { expect, it } from 'vitest';
import { LDS } from '@/lib/xds/resource-type';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';
import { startClientStory } from '../../support/client-story';

const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const routerType = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';
/** gRPC takes routes from its ADS stream alone (rule L13), and Envoy from files as well. */
const configSource = { pathConfigSource: { path: '/etc/envoy/routes.json' } };
const typedConfig = {
  '@type': managerType,
  statPrefix: 'edge',
  rds: { routeConfigName: 'r', configSource },
  httpFilters: [{ name: 'router', typedConfig: { '@type': routerType } }],
};
const socketListener: MeshResource = {
  ...{ typeUrl: LDS.typeUrl, name: 'edge' },
  body: {
    name: 'edge',
    address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
    filterChains: [{ filters: [{ name: 'hcm', typedConfig }] }],
  },
};
const ofApi: MeshResource = {
  ...apiListener('edge', { rds: 'r' }),
  body: { name: 'edge', apiListener: { apiListener: typedConfig } },
};
const others = [
  routeConfig('r', { '': 'a' }),
  edsCluster('a'),
  endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
];

it.each([
  [
    'a socket listener of an unknown client as Envoy resolves it',
    'mesh-proxy',
    socketListener,
    'resolved',
    'envoy-1.40',
  ],
  ['an API listener of an unknown client as gRPC resolves it', 'mesh-proxy', ofApi, 'error', 'go-1.85'],
  ['a socket listener of a gRPC client as gRPC resolves it', 'gRPC Go', socketListener, 'error', 'go-1.85'],
])('resolves %s', async (_, userAgentName, listener, status, profile) => {
  const story = await startClientStory({}, { userAgentName, userAgentVersion: '1.85.0' });
  story.clock.advance(1_000);
  story.observe([listener, ...others], [], 'csds');
  const resolved = await story.ask('resolved', { clientId: 'c' }, {});
  expect(resolved?.chains.flatMap(({ routeConfigs }) => routeConfigs.map(({ error }) => error))).toEqual([
    status === 'resolved' ? '' : expect.stringContaining('rule L13'),
  ]);
  expect(resolved).toMatchObject({ status, profile });
});
