import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { bootstrapToKeep, nodeToKeep } from '@/server/bootstrap/bootstrap-to-keep';
import { checkBootstrap, readBootstrap, readBootstrapNode } from '@/server/bootstrap/read-bootstrap';
import { insecure } from '@/server/grpc/credentials-config';
import { bootstrapOf } from '@/tests/peers/envoy/start';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'envoy-bootstrap-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const of = (protocol: 'sotw' | 'delta') =>
  bootstrapOf(
    {
      ...{ nodeId: 'edge-1', servers: ['127.0.0.1:18000'], protocol },
      ...{ workDir: '', listenerPorts: {}, serverFeatures: [] },
    },
    19_000,
  );

function written(name: string, text: string): { readonly file: string } {
  const file = path.join(dir, name);
  writeFileSync(file, text);
  return { file };
}

const filenames = (name: string) => ({ filename: name });
const secured = {
  node: { id: 'edge-1', metadata: { ROLE: 'edge' }, locality: { region: 'eu', subZone: 'x' } },
  dynamicResources: {
    adsConfig: {
      apiType: 'GRPC',
      grpcServices: [
        {
          envoyGrpc: { clusterName: 'xds' },
          initialMetadata: [{ key: 'Authorization', value: 'Bearer hunter2' }],
        },
      ],
    },
  },
  staticResources: {
    clusters: [
      {
        name: 'xds',
        loadAssignment: {
          endpoints: [
            {
              lbEndpoints: [
                { endpoint: { address: { socketAddress: { address: 'xds.example', portValue: 18_000 } } } },
              ],
            },
          ],
        },
        transportSocket: {
          name: 'envoy.transport_sockets.tls',
          typedConfig: {
            '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
            sni: 'control.plane',
            commonTlsContext: {
              tlsCertificates: [{ certificateChain: filenames('c.pem'), privateKey: filenames('k.pem') }],
              validationContext: { trustedCa: filenames('/ca.pem') },
            },
          },
        },
      },
    ],
  },
};

describe('a bootstrap of Envoy', () => {
  it.each([
    ['JSON', 'sotw', 'ads'],
    ['YAML', 'delta', 'delta-ads'],
  ] as const)('that runs a real Envoy is read from %s', (format, protocol, transport) => {
    const json = of(protocol);
    const text = format === 'JSON' ? JSON.stringify(json) : stringify(json);
    const read = readBootstrap(written('envoy', text), dir);
    expect(read).toMatchObject({
      transport,
      node: { id: 'edge-1', cluster: 'peers', locality: { region: 'here', zone: 'here-a', subZone: '' } },
      servers: [{ target: { text: '127.0.0.1:18000' }, credentials: insecure, callCredentials: [] }],
    });
  });

  it('has the TLS files, the SNI and the initial metadata of its ADS cluster, in camelCase too', () => {
    const read = readBootstrap(written('envoy.json', JSON.stringify(secured)), dir);
    expect(read.node).toEqual({
      ...{ id: 'edge-1', cluster: '', metadata: { ROLE: 'edge' } },
      locality: { region: 'eu', zone: '', subZone: 'x' },
    });
    expect(read.servers).toMatchObject([
      {
        target: { text: 'xds.example:18000' },
        credentials: {
          ...{ kind: 'tls', serverName: 'control.plane', caCertificateFile: '/ca.pem' },
          ...{ certificateFile: path.join(dir, 'c.pem'), privateKeyFile: path.join(dir, 'k.pem') },
        },
        callCredentials: [{ kind: 'header', name: 'authorization', value: 'Bearer hunter2' }],
      },
    ]);
  });

  it('that came by API names no files and no secrets, and is kept without them', () => {
    const ignored: string[] = [];
    const [server] = checkBootstrap(secured, { ignored }).servers;
    expect(server).toMatchObject({
      credentials: { kind: 'tls', serverName: 'control.plane', caCertificateFile: null },
      callCredentials: [],
    });
    expect(ignored).toContain('initial_metadata "authorization"');
    expect(ignored.filter((each) => each.endsWith('_file'))).toHaveLength(3);
    const kept = bootstrapToKeep(secured);
    expect(JSON.stringify(kept)).not.toMatch(/hunter2|\.pem/);
    const again: string[] = [];
    expect(checkBootstrap(kept, { ignored: again }).servers).toEqual([server]);
    expect(again).toEqual([]);
  });

  it('gives its node, also without a server that can be reached', () => {
    const unreachable = { ...secured, staticResources: {} };
    const node = readBootstrapNode(written('envoy.json', JSON.stringify(unreachable)));
    expect(node).toMatchObject({ id: 'edge-1', metadata: { ROLE: 'edge' } });
    expect(nodeToKeep(unreachable)).toEqual({
      node: {
        ...{ id: 'edge-1', cluster: '', metadata: { ROLE: 'edge' } },
        locality: { region: 'eu', zone: '', sub_zone: 'x' },
      },
    });
  });

  const [cluster] = secured.staticResources.clusters;
  it.each([
    ['no static cluster', { clusters: [] }, 'expected a static cluster "xds", got none'],
    [
      'a pipe',
      { clusters: [{ name: 'xds', load_assignment: { endpoints: [] } }] },
      'expected a TCP address, got none: state the address of the management server beside the bootstrap',
    ],
    [
      'a key in the bootstrap itself',
      {
        clusters: [
          {
            ...cluster,
            transportSocket: {
              typedConfig: {
                '@type': 'x/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
                commonTlsContext: { tlsCertificates: [{ privateKey: { inlineString: 'hunter2' } }] },
              },
            },
          },
        ],
      },
      'private_key: expected a filename, got another source',
    ],
  ])('is rejected with the place if it has %s', (_, staticResources, message) => {
    const read = () => checkBootstrap({ ...secured, staticResources }, { cwd: dir });
    expect(read).toThrow(message);
    expect(read).not.toThrow('hunter2');
  });

  it('is rejected if it is no YAML, without quoting it', () => {
    const read = () => readBootstrap(written('envoy.yaml', 'node: {id: [hunter2'), dir);
    expect(read).toThrow(/expected JSON or YAML in .*envoy\.yaml, got no YAML/);
    expect(read).not.toThrow('hunter2');
  });
});
