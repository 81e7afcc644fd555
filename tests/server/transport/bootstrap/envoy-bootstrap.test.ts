import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { bootstrapToKeep, clientToKeep } from '@/server/transport/bootstrap/bootstrap-to-keep';
import {
  checkBootstrap,
  checkBootstrapClient,
  readBootstrap,
  readBootstrapClient,
} from '@/server/transport/bootstrap/read-bootstrap';
import { insecure } from '@/server/transport/grpc/credentials-config';
import { bootstrapOf } from '@/tests/peers/envoy/start';
import { corpusDir, hasCorpus } from '@/tests/support/builders/codec-corpus';

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

/** The bootstrap above with another CommonTlsContext and without SNI. */
function withTls(commonTlsContext: object, secrets: readonly object[] = []) {
  const clusters = secured.staticResources.clusters.map((each) => ({
    ...each,
    transportSocket: {
      typedConfig: {
        '@type': 'x/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
        commonTlsContext,
      },
    },
  }));
  return { ...secured, staticResources: { clusters, secrets } };
}

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

  it('gives its node and transport, also without a server that can be reached', () => {
    const adsConfig = { apiType: 'DELTA_GRPC', grpcServices: [{ googleGrpc: {} }] };
    const unreachable = { ...secured, dynamicResources: { adsConfig }, staticResources: {} };
    const client = readBootstrapClient(written('envoy.json', JSON.stringify(unreachable)));
    expect(client).toMatchObject({
      node: { id: 'edge-1', metadata: { ROLE: 'edge' } },
      transport: 'delta-ads',
    });
    const kept = clientToKeep(unreachable);
    expect(kept).toEqual({
      node: {
        ...{ id: 'edge-1', cluster: '', metadata: { ROLE: 'edge' } },
        locality: { region: 'eu', zone: '', sub_zone: 'x' },
      },
      xdscope_transport: 'delta-ads',
    });
    expect(checkBootstrapClient(kept)).toEqual(client);
  });

  it('has the secrets of files, as Envoy Gateway writes them, and the name that they expect', () => {
    const secret = (name: string, content: object) =>
      written(`${name}.json`, JSON.stringify({ resources: [{ name, ...content }] })).file;
    const certificate = secret('xds_certificate', {
      tls_certificate: { certificate_chain: filenames('tls.crt'), private_key: filenames('tls.key') },
    });
    const ca = secret('xds_trusted_ca', {
      validation_context: {
        trusted_ca: filenames('ca.crt'),
        match_typed_subject_alt_names: [
          { san_type: 'URI', matcher: { exact: 'spiffe://eg/envoy-gateway' } },
          { san_type: 'DNS', matcher: { exact: 'envoy-gateway' } },
        ],
      },
    });
    const sds = (name: string, file: string) => {
      return { name, sds_config: { path_config_source: { path: file } } };
    };
    const json = withTls({
      tls_certificate_sds_secret_configs: [sds('xds_certificate', certificate)],
      validation_context_sds_secret_config: sds('xds_trusted_ca', ca),
    });
    expect(checkBootstrap(json, { cwd: dir }).servers[0].credentials).toMatchObject({
      ...{ kind: 'tls', serverName: 'envoy-gateway', caCertificateFile: path.join(dir, 'ca.crt') },
      ...{ certificateFile: path.join(dir, 'tls.crt'), privateKeyFile: path.join(dir, 'tls.key') },
    });
    const missing = withTls({ validation_context_sds_secret_config: sds('other', ca) });
    expect(() => checkBootstrap(missing, { cwd: dir })).toThrow(
      'expected a secret "other" in the file, got none',
    );
    const ignored: string[] = [];
    checkBootstrap(json, { ignored });
    expect(ignored.filter((each) => each.endsWith('sds_config.path'))).toHaveLength(2);
  });

  it('has certificates that stand in it, also as a static secret; a private key from the API is ignored', () => {
    const inline = (text: string) => ({ inline_string: text });
    const json = withTls(
      {
        tls_certificate_sds_secret_configs: [{ name: 'own' }],
        combined_validation_context: {
          default_validation_context: { trusted_ca: { inline_bytes: Buffer.from('CA').toString('base64') } },
        },
      },
      [
        {
          name: 'own',
          tls_certificate: { certificate_chain: inline('CHAIN'), private_key: inline('hunter2') },
        },
      ],
    );
    const { credentials } = checkBootstrap(json, { cwd: dir }).servers[0];
    expect(credentials).toMatchObject({
      caCertificate: 'CA',
      identity: { certificate: 'CHAIN', privateKey: 'hunter2' },
    });
    const ignored: string[] = [];
    const [fromApi] = checkBootstrap(json, { ignored }).servers;
    expect(fromApi.credentials).toMatchObject({ caCertificate: 'CA' });
    expect(fromApi.credentials).not.toHaveProperty('identity');
    expect(ignored).toEqual(expect.arrayContaining([expect.stringMatching(/^private key of /)]));
    const kept = bootstrapToKeep(json);
    expect(JSON.stringify(kept)).not.toContain('hunter2');
    expect(checkBootstrap(kept, { ignored: [] }).servers).toEqual([fromApi]);
  });

  it.skipIf(!hasCorpus)('of Kuma names its server, CA and token as google_grpc', () => {
    const file = path.join(
      corpusDir,
      'real/kuma/pkg__xds__bootstrap__testdata__generator.default-config-token-path.golden.yaml',
    );
    const { servers, transport, node } = readBootstrap({ file }, dir);
    expect({ transport, id: node.id }).toEqual({ transport: 'delta-ads', id: 'mesh.name.namespace' });
    expect(servers).toMatchObject([
      {
        target: { text: 'localhost:5678' },
        credentials: { kind: 'tls', caCertificate: expect.stringMatching(/^-----BEGIN CERTIFICATE/) },
        callCredentials: [{ kind: 'header', name: 'authorization', file: '/path/to/file' }],
      },
    ]);
  });

  it.each([
    ['no static cluster', { clusters: [] }, 'expected a static cluster "xds", got none'],
    [
      'a pipe',
      { clusters: [{ name: 'xds', load_assignment: { endpoints: [] } }] },
      'expected a TCP address, got none: state the address of the management server beside the bootstrap',
    ],
    [
      'a key without its certificate',
      withTls({ tlsCertificates: [{ privateKey: { inlineString: 'hunter2' } }] }).staticResources,
      'certificate: expected it in PEM beside private_key, got nothing',
    ],
    [
      'a key of the environment',
      withTls({ tlsCertificates: [{ privateKey: { environmentVariable: 'KEY' } }] }).staticResources,
      "private_key: expected a filename, inline_string or inline_bytes, got a variable of Envoy's environment, which xdscope does not have: state the address and the TLS settings",
    ],
    [
      'secrets of an agent',
      withTls({ tlsCertificateSdsSecretConfigs: [{ name: 'default', sdsConfig: { apiConfigSource: {} } }] })
        .staticResources,
      'expected a static secret or one of a file, got an SDS server: state the address and the TLS settings',
    ],
  ])('is rejected with the place if it has %s', (_, staticResources, message) => {
    const read = () => checkBootstrap({ ...secured, staticResources }, { cwd: dir });
    expect(read).toThrow(message);
    expect(read).not.toThrow('hunter2');
  });

  it('is rejected if a cloud has its credentials', () => {
    const googleGrpc = { targetUri: 'dns:///xds.example', channelCredentials: { googleDefault: {} } };
    const adsConfig = { apiType: 'GRPC', grpcServices: [{ googleGrpc }] };
    expect(() => checkBootstrap({ ...secured, dynamicResources: { adsConfig } }, { cwd: dir })).toThrow(
      'google_default: expected ssl_credentials, got the default credentials of Google Cloud, which are not supported: state the address',
    );
  });

  it('is rejected if it is no YAML, without quoting it', () => {
    const read = () => readBootstrap(written('envoy.yaml', 'node: {id: [hunter2'), dir);
    expect(read).toThrow(/expected JSON or YAML in .*envoy\.yaml, got no YAML/);
    expect(read).not.toThrow('hunter2');
  });
});
