import { ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explain } from '@/lib/explain/explain';
import type { ExplainRequest } from '@/lib/requests/request';
import { newestOf } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { CertificateAuthority } from '@/server/lab/certificates/certificate-authority';
import type { ClientProgram } from '@/server/lab/interop-runs/client-program';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { EchoBackends } from '@/server/lab/twin/echo-backends';
import { findTwinClients } from '@/server/lab/twin/find-twin-clients';
import { sendRpcs } from '@/server/lab/twin/grpc-client';
import { systemClock } from '@/server/observe';
import { resolverOver } from '../../support/builders/resolve-mesh';
import type { MeshResource } from '../../support/builders/topology-mesh';
import { preparePeer } from '../cache';
import { interopPeers } from '../interop/programs';

const target = 'ring.example';
const users = Array.from({ length: 14 }, (_, at) => `user-${at * 7919}`);
const backends = new EchoBackends(new CertificateAuthority('ring hash', () => Date.now()));
const server = new ManagementServer({ clock: systemClock, identifier: 'ring-hash' });
let adsPort = 0;
let resources: readonly MeshResource[] = [];
let programs: readonly ClientProgram[] = [];

beforeAll(async () => {
  for (const { peer } of interopPeers) await preparePeer(peer, peer.versions[0] ?? '');
  programs = await findTwinClients([]);
  resources = meshOf(await backends.listen(6));
  const encoded = resources.map(({ typeUrl, name, body }) => ({
    typeUrl,
    name,
    bytes: encodeBody(typeUrl, body),
  }));
  server.setResources('*', encoded);
  adsPort = Number((await server.listen(0, ServerCredentials.createInsecure())).split(':').at(-1));
});
afterAll(async () => {
  backends.close();
  await server.close();
});

function meshOf(ports: readonly number[]): MeshResource[] {
  const v3 = 'type.googleapis.com/envoy.extensions.filters';
  const hashPolicy = [{ header: { headerName: 'x-user' } }, { header: { headerName: 'x-more' } }];
  const route = { cluster: 'ring', hashPolicy };
  const manager = {
    '@type': `${v3}.network.http_connection_manager.v3.HttpConnectionManager`,
    routeConfig: {
      name: 'r',
      virtualHosts: [{ name: 'v', domains: ['*'], routes: [{ match: { prefix: '' }, route }] }],
    },
    httpFilters: [{ name: 'router', typedConfig: { '@type': `${v3}.http.router.v3.Router` } }],
  };
  const lbEndpoints = ports.map((portValue) => ({
    endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue } } },
  }));
  const halves = [lbEndpoints.slice(0, 3), lbEndpoints.slice(3)];
  return [
    { typeUrl: LDS.typeUrl, name: target, body: { name: target, apiListener: { apiListener: manager } } },
    {
      ...{ typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name: 'ring' },
      body: {
        name: 'ring',
        type: 'EDS',
        edsClusterConfig: { edsConfig: { ads: {} } },
        lbPolicy: 'RING_HASH',
      },
    },
    {
      ...{ typeUrl: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment', name: 'ring' },
      body: {
        clusterName: 'ring',
        endpoints: halves.map((each, zone) => ({
          ...{ locality: { region: 'r', zone: `z${zone}` }, loadBalancingWeight: 1, lbEndpoints: each },
        })),
      },
    },
  ];
}

it.each([
  ['grpc-go', 'go'],
  ['c-core', 'core'],
  ['grpc-java', 'java'],
  ['grpc-js', 'node'],
] as const)('%s chooses the endpoint of a ring that the trace names', async (name, client) => {
  const program = programs.find((each) => each.name === name);
  if (program === undefined) throw new Error(`expected the program ${name}`);
  const profile = newestOf(client);
  const resolver = resolverOver(resources, { start: { listener: target, authority: target }, profile });
  const chosen = new Set<number | undefined>();
  const rows: string[] = [];
  // A process of Java takes seconds to start.
  for (const [at, user] of users.slice(0, client === 'java' ? 8 : undefined).entries()) {
    const more = at % 3 === 0 ? ([['x-more', String(at)]] as const) : [];
    const headers = [['x-user', user] as const, ...more];
    const request: ExplainRequest = {
      method: 'POST',
      scheme: 'http',
      authority: target,
      path: '/s.S/M',
      headers,
    };
    const { branches, steps } = explain(
      {
        listener: resolver.listener,
        jsonOf: (key) =>
          resources.find((each) => each.typeUrl === key.typeUrl && each.name === key.name)?.body,
        findCluster: (cluster) => resolver.entryOf(cluster),
      },
      request,
      profile,
    );
    const endpoints = branches[0]?.endpoints ?? [];
    const [result] = await sendRpcs({
      ...{ program, adsPort, listener: target, names: [], request, times: 1 },
      node: { id: 'ring', cluster: '', locality: { region: '', zone: '', subZone: '' }, metadata: {} },
      signal: new AbortController().signal,
      clock: systemClock,
    });
    chosen.add(result?.backend);
    rows.push(
      `${user}: ${steps.at(-1)?.reason}; explained ${endpoints.map(({ address }) => address)}, got ${result?.backend} ${result?.details}`,
    );
    expect
      .soft(
        endpoints.map(({ address }) => address),
        rows.at(-1),
      )
      .toEqual([`127.0.0.1:${result?.backend}`]);
  }
  expect(chosen.size).toBeGreaterThan(2);
});
