import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseProfile } from '@/lib/resolve/client-profile';
import { clientOf } from '@/lib/xds/profile';
import { findClientEvidence } from '@/server/codec/dump-parser/client-evidence';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { nodeOf } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { projectRoot } from '@/server/project-root';
import { corpusDir, hasCorpus } from '@/tests/support/builders/codec-corpus';

const marker = createRedactionMarker(Buffer.from('tests'));
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const evidenceOf = (bytes: Uint8Array) => planReport(bytes).reports.map(findClientEvidence);

const type = (name: string) => `type.googleapis.com/envoy.${name}`;
const listener = (fields: object) => ({ '@type': type('config.listener.v3.Listener'), name: 'a', ...fields });
const cluster = (fields: object) => ({ '@type': type('config.cluster.v3.Cluster'), name: 'a', ...fields });
const manager = {
  '@type': type('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
  stat_prefix: 'a',
};
const chainOf = (config: object) => ({ filters: [{ name: 'f', typed_config: config }] });
const address = { socket_address: { address: '127.0.0.1', port_value: 80 } };
const ofFile = {
  route_config_name: 'a',
  config_source: { path_config_source: { path: '/etc/a.json' } },
};
const load = { cluster_name: 'a', endpoints: [] };

describe('a client without a user agent', () => {
  it.each<[string, object]>([
    ['static_resources', { static_resources: { clusters: [] } }],
    ['admin', { admin: {} }],
    ['a section of a dump', { static_clusters: [{ cluster: cluster({}) }] }],
    ['hosts', { cluster_statuses: [{ name: 'a' }] }],
    [
      'a network filter',
      listener({
        address,
        filter_chains: [
          chainOf({
            '@type': type('extensions.filters.network.tcp_proxy.v3.TcpProxy'),
            cluster: 'a',
            stat_prefix: 'a',
          }),
        ],
      }),
    ],
    ['routes of a file', listener({ address, filter_chains: [chainOf({ ...manager, rds: ofFile })] })],
    ['scoped routes', listener({ address, filter_chains: [chainOf({ ...manager, scoped_routes: {} })] })],
    [
      'endpoints of a file',
      cluster({ type: 'EDS', eds_cluster_config: { eds_config: ofFile.config_source } }),
    ],
    ['a listener filter', listener({ address, listener_filters: [{ name: 'tls' }] })],
    ['an internal listener', listener({ internal_listener: {} })],
    ['a UDP listener', listener({ address, udp_listener_config: {} })],
    ['STATIC', cluster({ load_assignment: load })],
    ['STRICT_DNS', cluster({ type: 'STRICT_DNS' })],
    ['ORIGINAL_DST', cluster({ type: 'ORIGINAL_DST' })],
    ['a cluster type of an extension', cluster({ cluster_type: { name: 'envoy.cluster.redis' } })],
  ])('is an Envoy by %s', (_, document) => {
    const [evidence] = evidenceOf(json(document));
    expect(evidence?.client).toBe('envoy');
    expect(evidence?.reason).not.toBe('');
  });

  it('is an Envoy by a socket listener whose routes forward requests', () => {
    const web = listener({
      address,
      filter_chains: [chainOf({ ...manager, rds: { route_config_name: 'web' } })],
    });
    const table = (route: object) => ({
      '@type': type('config.route.v3.RouteConfiguration'),
      ...{ name: 'web', virtual_hosts: [{ name: 'all', domains: ['*'], routes: [route] }] },
    });
    const match = { prefix: '/' };
    const [forwarding] = evidenceOf(json([web, table({ match, route: { cluster: 'a' } })]));
    expect(forwarding?.client).toBe('envoy');
    const [serving] = evidenceOf(json([web, table({ match, non_forwarding_action: {} })]));
    expect(serving).toBeUndefined();
  });

  it('has the resources of a map by type and name, as Kuma prints them, beside the changes of a proposal', () => {
    const xds = {
      [type('config.cluster.v3.Cluster')]: { one: { name: 'one' }, two: { name: 'two' } },
      [type('config.endpoint.v3.ClusterLoadAssignment')]: { one: { clusterName: 'one' } },
    };
    const diff = [{ op: 'add', path: '/x', value: cluster({}) }];
    const { reports } = planReport(json({ xds, diff }));
    expect(reports.map((report) => [...report.elements()].length)).toEqual([3]);
  });

  it('is a gRPC client by API listeners alone', () => {
    const api = listener({ api_listener: { api_listener: manager } });
    expect(evidenceOf(json([api]))).toEqual([
      { client: 'grpc', reason: 'listener "a" has an api_listener and no address' },
    ]);
    const both = [api, { ...listener({ address, filter_chains: [chainOf(manager)] }), name: 'b' }];
    expect(evidenceOf(json(both))).toEqual([undefined]);
  });

  it.each([
    ['a listener with a connection manager', listener({ address, filter_chains: [chainOf(manager)] })],
    ['a cluster of EDS', cluster({ type: 'EDS' })],
    ['a part of a cluster', cluster({})],
  ])('is not known by %s', (_, document) => expect(evidenceOf(json(document))).toEqual([undefined]));
});

function clientsIn(file: string): string[] {
  return planReport(readFileSync(file)).reports.map((report) => {
    const evidence = findClientEvidence(report);
    return clientOf(chooseProfile({ node: { ...nodeOf(report, marker), evidence } }).profile);
  });
}

it('an Envoy that is described by its own configuration file is an Envoy (report 01)', () => {
  const folder = path.join(projectRoot, 'tests/fixtures/reports/01-envoy-file-without-user-agent');
  expect(clientsIn(path.join(folder, 'envoy.json'))).toEqual(['envoy']);
});

it.skipIf(!hasCorpus)('every Envoy of real files is an Envoy (skipped without ../shared/corpus)', () => {
  const real = path.join(corpusDir, 'real');
  const files = readdirSync(real, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:json|ya?ml)$/.test(name))
    .map((name) => path.join(real, name))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      const isOfGrpc = file.includes('grpcdebug') || file.includes('csds-client');
      return (
        !isOfGrpc &&
        /admin\.v3\.\w+ConfigDump|admin\.v2alpha\.\w+ConfigDump|"?static_?[rR]esources"?:/.test(text)
      );
    });
  const kinds = files.flatMap((file) => clientsIn(file).map((client) => ({ file, client })));
  expect(kinds.filter(({ client }) => client !== 'envoy')).toEqual([]);
  expect(new Set(kinds.map(({ file }) => file)).size).toBe(16);
});
