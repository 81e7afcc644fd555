import { expect, it } from 'vitest';
import { ConfigConnections } from '@/server/collect/istiod/config-connections';
import type { KnownClient } from '@/server/collect/poll-diff/known-clients';

/** The clusters of connections, by id. */
type Clusters = Readonly<Record<string, string | undefined>>;

async function find(name: string, clusters: Clusters): Promise<string | undefined> {
  const connections = new ConfigConnections();
  const names = Object.keys(clusters).map((id) => id.replace(/-\d+$/, ''));
  connections.follow(names, new Set(['client']));
  const node = {
    ...{ id: name, metadata: { CLUSTER_ID: 'east' }, cluster: '', locality: null },
    ...{ userAgentName: '', userAgentVersion: '', clientFeatures: [] },
  };
  const client: KnownClient = { node, scope: '', side: 'control-plane', rows: new Map() };
  const list = { ids: async () => Object.keys(clusters), clusterOf: async (id: string) => clusters[id] };
  return connections.find(['client', client], [], list, 0);
}

it.each<[title: string, name: string, clusters: Clusters, found: string | undefined]>([
  ['a single connection', 'a.shop', { 'a.shop-1': 'east', 'b.shop-2': 'east' }, 'a.shop'],
  ['a longer name', 'a.shop', { 'a.shop-1': 'east', 'a.shop-test-2': 'east' }, 'a.shop-1'],
  ['a probe', 'a.shop', { 'a.shop-2': undefined, 'a.shop-3': 'east' }, 'a.shop-3'],
  ['a proxy of another cluster', 'a.shop', { 'a.shop-2': 'west', 'a.shop-3': 'east' }, 'a.shop-3'],
  ['two proxies', 'a.shop', { 'a.shop-2': 'east', 'a.shop-3': 'east' }, undefined],
  ['a number that begins with it', 'a.shop-1', { 'a.shop-12': 'east', 'a.shop-1-7': 'east' }, 'a.shop-1-7'],
  ['an id that is a part of another', 'a.shop', { 'a.shop-1': 'east', 'a.shop-12': undefined }, undefined],
])('%s', async (_, name, clusters, found) => {
  expect(await find(name, clusters)).toBe(found);
});
