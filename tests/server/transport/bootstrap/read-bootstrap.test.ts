import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBootstrap } from '@/server/transport/bootstrap/read-bootstrap';

const insecure = [{ type: 'insecure' }];
const server = { server_uri: '127.0.0.1:18000', channel_creds: insecure };
const cwd = '/etc/mesh';
const tls = (config: object) => ({ xds_servers: [{ ...server, channel_creds: [{ type: 'tls', config }] }] });
const read = (bootstrap: unknown) => readBootstrap({ json: JSON.stringify(bootstrap) }, cwd);
const readServer = (more: object) => read({ xds_servers: [{ ...server, ...more }] }).servers[0];

describe('readBootstrap', () => {
  test('reads the bootstrap that all measured clients accept', () => {
    const bootstrap = read({
      xds_servers: [{ ...server, server_features: ['xds_v3', 'of_the_future'], unknown_field: 1 }],
      node: {
        id: 'x',
        cluster: 'c',
        locality: { region: 'eu', zone: 'eu-1', sub_zone: 'r' },
        metadata: { app: 'shop' },
      },
      certificate_providers: {},
    });
    expect(bootstrap).toEqual({
      node: {
        id: 'x',
        cluster: 'c',
        locality: { region: 'eu', zone: 'eu-1', subZone: 'r' },
        metadata: { app: 'shop' },
      },
      servers: [
        {
          target: { host: '127.0.0.1', port: 18000, text: '127.0.0.1:18000' },
          credentials: { kind: 'insecure' },
          callCredentials: [],
          features: new Set(['xds_v3', 'of_the_future']),
        },
      ],
      authorities: new Map(),
      certificateProviders: new Map(),
      templates: { clientDefault: '%s', authorities: new Map() },
      serverListenerTemplate: null,
      transport: null,
      allowedGrpcServices: new Set(),
    });
  });

  test('null is the same as an absent field', () => {
    const nothing = { id: null, cluster: null, metadata: null, locality: { region: null } };
    const bootstrap = read({
      xds_servers: [{ ...server, server_features: null }],
      node: nothing,
      authorities: null,
    });
    expect(bootstrap.node).toEqual({
      id: '',
      cluster: '',
      metadata: {},
      locality: { region: '', zone: '', subZone: '' },
    });
  });

  test('keeps several servers in the order of preference', () => {
    const second = { ...server, server_uri: 'dns:///fallback.example:443' };
    const { servers } = read({ xds_servers: [server, second] });
    expect(servers.map(({ target }) => target.text)).toEqual(['127.0.0.1:18000', 'fallback.example:443']);
  });

  test('an authority has its own servers and template, or the top-level servers and the default template', () => {
    const own = { ...server, server_uri: 'own.example:1' };
    const { authorities, servers, templates } = read({
      xds_servers: [server],
      authorities: {
        own: {
          xds_servers: [own],
          client_listener_resource_name_template: 'xdstp://own/envoy.config.listener.v3.Listener/client/%s',
          fallback_on_reachability_only: true,
        },
        'usual.example': { xds_servers: [] },
        '': {},
      },
      client_default_listener_resource_name_template: 'xdstp://own/envoy.config.listener.v3.Listener/%s',
    });
    expect(authorities.get('own')).toMatchObject({
      servers: [{ target: { text: 'own.example:1' } }],
      clientListenerResourceNameTemplate: 'xdstp://own/envoy.config.listener.v3.Listener/client/%s',
      fallbackOnReachabilityOnly: true,
    });
    expect(authorities.get('usual.example')).toEqual({
      servers,
      clientListenerResourceNameTemplate: 'xdstp://usual.example/envoy.config.listener.v3.Listener/%s',
      fallbackOnReachabilityOnly: false,
    });
    expect(authorities.get('')?.clientListenerResourceNameTemplate).toBe(
      'xdstp:///envoy.config.listener.v3.Listener/%s',
    );
    expect(templates).toEqual({
      clientDefault: 'xdstp://own/envoy.config.listener.v3.Listener/%s',
      authorities,
    });
  });

  test('the first supported channel credentials are used', () => {
    const config = { ca_certificate_file: 'ca.pem' };
    const creds = [{ type: 'from_the_future' }, { type: 'google_default' }, { type: 'tls', config }];
    expect(readServer({ channel_creds: [...creds, ...insecure] }).credentials).toEqual({
      kind: 'tls',
      caCertificateFile: '/etc/mesh/ca.pem',
      certificateFile: null,
      privateKeyFile: null,
      refreshIntervalMs: 600_000,
    });
    expect(readServer({ channel_creds: [...insecure, ...creds] }).credentials).toEqual({ kind: 'insecure' });
    expect(readServer({ channel_creds: [{ type: 'tls' }] }).credentials).toMatchObject({
      caCertificateFile: null,
    });
  });

  test('mTLS has files and a refresh interval of at least a second and at most the longest timer', () => {
    const files = { certificate_file: '/a/cert.pem', private_key_file: '/a/key.pem' };
    const interval = (refresh_interval: string) =>
      readServer({ channel_creds: [{ type: 'tls', config: { ...files, refresh_interval } }] }).credentials;
    expect(interval('90.5s')).toEqual({
      kind: 'tls',
      caCertificateFile: null,
      certificateFile: '/a/cert.pem',
      privateKeyFile: '/a/key.pem',
      refreshIntervalMs: 90_500,
    });
    expect(interval('0.001s')).toMatchObject({ refreshIntervalMs: 1_000 });
    expect(interval('315576000000s')).toMatchObject({ refreshIntervalMs: 2 ** 31 - 1 });
  });

  test('token files are used over TLS, and other call credentials are ignored', () => {
    const call_creds = [
      { type: 'from_the_future' },
      { type: 'jwt_token_file', config: { jwt_token_file: 'token' } },
    ];
    expect(readServer({ channel_creds: [{ type: 'tls' }], call_creds }).callCredentials).toEqual([
      { kind: 'jwt_token_file', file: '/etc/mesh/token' },
    ]);
    expect(readServer({ call_creds: call_creds.slice(0, 1) }).callCredentials).toEqual([]);
  });

  test('certificate providers of unknown plugins are accepted', () => {
    const { certificateProviders } = read({
      xds_servers: [server],
      certificate_providers: {
        files: { plugin_name: 'file_watcher', config: { spiffe_trust_bundle_map_file: 'spiffe.json' } },
        mesh: { plugin_name: 'mesh_ca', config: { any: [1] } },
      },
    });
    expect([...certificateProviders]).toEqual([
      [
        'files',
        {
          pluginName: 'file_watcher',
          files: {
            caCertificateFile: null,
            certificateFile: null,
            privateKeyFile: null,
            spiffeTrustBundleMapFile: '/etc/mesh/spiffe.json',
            refreshIntervalMs: 600_000,
          },
        },
      ],
      ['mesh', { pluginName: 'mesh_ca', files: null }],
    ]);
  });

  test('reads the server listener template and the allowed gRPC services', () => {
    const template = 'grpc/server?xds.resource.listening_address=%s';
    const bootstrap = read({
      xds_servers: [server],
      server_listener_resource_name_template: template,
      allowed_grpc_services: { 'dns:///authz:1': { channel_creds: [{ type: 'google_default' }] } },
    });
    expect(bootstrap.serverListenerTemplate).toBe(template);
    expect(bootstrap.allowedGrpcServices).toEqual(new Set(['dns:///authz:1']));
  });

  test('reads a file', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'bootstrap-'));
    const file = path.join(dir, 'bootstrap.json');
    writeFileSync(file, JSON.stringify({ xds_servers: [server] }));
    expect(readBootstrap({ file }, dir).servers[0].target.text).toBe('127.0.0.1:18000');
    rmSync(dir, { recursive: true });
  });

  const rejections: { title: string; bootstrap: unknown; message: string }[] = [
    { title: 'a list', bootstrap: [], message: 'the bootstrap: expected an object, got an empty list' },
    {
      title: 'a bootstrap without servers',
      bootstrap: {},
      message: 'xds_servers: expected a list, got nothing',
    },
    {
      title: 'an empty server list',
      bootstrap: { xds_servers: [] },
      message: 'xds_servers: expected at least one, got an empty list',
    },
    {
      title: 'a server without a URI',
      bootstrap: { xds_servers: [{ channel_creds: insecure }] },
      message: 'xds_servers[0].server_uri: expected text, got nothing',
    },
    {
      title: 'a server with an empty URI',
      bootstrap: { xds_servers: [{ ...server, server_uri: '' }] },
      message: 'xds_servers[0].server_uri: expected at least one, got ""',
    },
    {
      title: 'a server without a TCP address',
      bootstrap: { xds_servers: [server, { ...server, server_uri: 'unix:/run/xds.sock' }] },
      message:
        'xds_servers[1].server_uri: expected host:port, dns:, ipv4: or ipv6:, got "unix:/run/xds.sock"',
    },
    {
      title: 'a server without credentials',
      bootstrap: { xds_servers: [{ server_uri: 'a:1' }] },
      message: 'xds_servers[0].channel_creds: expected a list, got nothing',
    },
    {
      title: 'a server with unsupported and unknown credentials',
      bootstrap: { xds_servers: [{ ...server, channel_creds: [{ type: 'alts' }, { type: 'magic' }] }] },
      message:
        'xds_servers[0].channel_creds: expected "insecure" or "tls" among the types, got "alts" (known, not supported), "magic" (unknown)',
    },
    {
      title: 'a certificate without its key',
      bootstrap: tls({ certificate_file: 'a' }),
      message:
        'xds_servers[0].channel_creds[0].config.private_key_file: expected a file beside certificate_file, got nothing',
    },
    {
      title: 'a key without its certificate',
      bootstrap: tls({ private_key_file: 'a' }),
      message:
        'xds_servers[0].channel_creds[0].config.certificate_file: expected a file beside private_key_file, got nothing',
    },
    {
      title: 'a file that is a number',
      bootstrap: tls({ ca_certificate_file: 1 }),
      message: 'xds_servers[0].channel_creds[0].config.ca_certificate_file: expected text, got 1',
    },
    {
      title: 'a SPIFFE bundle map, which must not become trust in the system roots',
      bootstrap: tls({ spiffe_trust_bundle_map_file: 'a' }),
      message:
        'xds_servers[0].channel_creds[0].config.spiffe_trust_bundle_map_file: expected ca_certificate_file instead: SPIFFE bundle maps (gRFC A87) are known, not supported, got a file',
    },
    ...['600', '1m', '-1s', '0s', 's', '1e9s', '0x10s', ''].map((refresh_interval) => ({
      title: `the interval ${JSON.stringify(refresh_interval)}`,
      bootstrap: tls({ refresh_interval }),
      message: `xds_servers[0].channel_creds[0].config.refresh_interval: expected a duration above zero as in "600s", got ${JSON.stringify(refresh_interval)}`,
    })),
    {
      title: 'a token over plain text',
      bootstrap: { xds_servers: [{ ...server, call_creds: [{ type: 'jwt_token_file' }] }] },
      message:
        'xds_servers[0].call_creds[0]: expected "tls" channel_creds to send the token over, got "insecure"',
    },
    {
      title: 'a token without a file',
      bootstrap: {
        xds_servers: [
          {
            ...server,
            channel_creds: [{ type: 'tls' }],
            call_creds: [{ type: 'jwt_token_file', config: {} }],
          },
        ],
      },
      message: 'xds_servers[0].call_creds[0].config.jwt_token_file: expected text, got nothing',
    },
    {
      title: 'an authority with the template of another',
      bootstrap: {
        xds_servers: [server],
        authorities: { 'a.b': { client_listener_resource_name_template: 'xdstp://a/x/%s' } },
      },
      message:
        'authorities["a.b"].client_listener_resource_name_template: expected a template that begins with "xdstp://a.b/", got "xdstp://a/x/%s"',
    },
    {
      title: 'a server of an authority without an address',
      bootstrap: {
        xds_servers: [server],
        authorities: { a: { xds_servers: [{ ...server, server_uri: 'a:b:c' }] } },
      },
      message:
        'authorities.a.xds_servers[0].server_uri: expected host:port, dns:, ipv4: or ipv6:, got "a:b:c"',
    },
    {
      title: 'a file watcher without files',
      bootstrap: { xds_servers: [server], certificate_providers: { x: { plugin_name: 'file_watcher' } } },
      message:
        'certificate_providers.x.config: expected certificate_file with private_key_file, ca_certificate_file or spiffe_trust_bundle_map_file, got none',
    },
    {
      title: 'a provider without a plugin',
      bootstrap: { xds_servers: [server], certificate_providers: { x: {} } },
      message: 'certificate_providers.x.plugin_name: expected text, got nothing',
    },
    {
      title: 'a switch that is text',
      bootstrap: { xds_servers: [server], authorities: { a: { fallback_on_reachability_only: 'yes' } } },
      message: 'authorities.a.fallback_on_reachability_only: expected true or false, got "yes"',
    },
    {
      title: 'a node id that is a number',
      bootstrap: { xds_servers: [server], node: { id: 7 } },
      message: 'node.id: expected text, got 7',
    },
    {
      title: 'a zone that is a list',
      bootstrap: { xds_servers: [server], node: { locality: { zone: ['a'] } } },
      message: 'node.locality.zone: expected text, got a list',
    },
  ];
  test.each(rejections)('$title is rejected with the path of the field', ({ bootstrap, message }) => {
    expect(() => read(bootstrap)).toThrow(expect.objectContaining({ name: 'BootstrapError', message }));
  });

  test.each([
    [
      '{\n "xds_servers": [',
      /^the bootstrap: expected JSON in the bootstrap, got something else at its end$/,
    ],
    [
      'password: [hunter2',
      /^(?!.*hunter2)the bootstrap: expected JSON or YAML in the bootstrap, got no YAML.*$/,
    ],
  ])('invalid JSON is reported in one line without its content: %j', (json, message) => {
    expect(() => readBootstrap({ json }, cwd)).toThrow(message);
  });

  test('a missing file is reported with its name', () => {
    expect(() => readBootstrap({ file: '/nowhere/bootstrap.json' }, cwd)).toThrow(
      'expected a bootstrap file at "/nowhere/bootstrap.json", got ENOENT',
    );
  });
});
