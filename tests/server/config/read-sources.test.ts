import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CDS, LDS, SDS } from '@/lib/xds/resource-type';
import { readConfig } from '@/server/config/read-config';
import { ConfigError } from '@/server/config-error';
import { sourcesOf } from '@/tests/support/config-sources';

const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-sources-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const read = (argv: string[], env: Record<string, string> = {}) =>
  readConfig({ argv, env, cwd: dir, version: '0.0.0' });

function readYaml(yaml: string, argv: string[] = []) {
  const file = path.join(dir, 'config.yaml');
  writeFileSync(file, yaml);
  return read(['--config', file, ...argv]);
}

function adsOf(config: ReturnType<typeof read>) {
  return sourcesOf(config, 'ads').map(({ id, label, setup }) => {
    if (setup.kind !== 'ads') throw new Error('expected an ADS source');
    return { id, label, node: setup.node, settings: setup.settings };
  });
}

const server = { server_uri: 'a.example:1', channel_creds: [{ type: 'insecure' }] };
const federated = {
  xds_servers: [server, { ...server, server_uri: 'b.example:2' }],
  node: { id: 'client-1', cluster: 'c', metadata: { app: 'x' } },
  authorities: { mesh: { xds_servers: [{ ...server, server_uri: 'c.example:3' }] } },
  certificate_providers: { id1: { plugin_name: 'file_watcher', config: { ca_certificate_file: 'ca.pem' } } },
  client_default_listener_resource_name_template:
    'xdstp://mesh/envoy.config.listener.v3.Listener/%s?env=test',
};

describe('ADS sources from a config', () => {
  it('observe everything on one ADS stream by default', () => {
    const [source] = adsOf(read(['--ads', 'a.example:1']));
    expect(source).toMatchObject({
      id: 'ads:a.example:1',
      label: 'a.example:1',
      node: { id: 'xdscope-probe@a.example:1', cluster: '', locality: null, metadata: {} },
      settings: {
        transport: 'ads',
        apiVersion: 'v3',
        mode: 'observe',
        profile: 'core',
        errorModel: 'pre-a88',
        interest: { wildcard: true, listeners: [] },
        certificateProviders: null,
        maxMessageBytes: 128 * 2 ** 20,
        refreshDelayMs: 1_000,
      },
    });
  });

  it('use the settings of flags and environment, unless they state their own', () => {
    const flags = ['--ads', 'a.example:1', '--ads-transport', 'delta-ads', '--ads-mode', 'validate'];
    const [byFlag] = adsOf(
      read([...flags, '--ads-profile', 'go', '--error-model', 'a88', '--max-message-megabytes', '4']),
    );
    const stated = { transport: 'delta-ads', mode: 'validate', profile: 'go', errorModel: 'a88' };
    expect(byFlag).toMatchObject({
      id: 'ads:a.example:1?transport=delta-ads',
      settings: { ...stated, maxMessageBytes: 4 * 2 ** 20 },
    });
    const [byEnvironment] = adsOf(
      read([], {
        XDSCOPE_ADS: 'a.example:1',
        XDSCOPE_ADS_TRANSPORT: 'delta-ads',
        XDSCOPE_ADS_MODE: 'validate',
        XDSCOPE_ADS_PROFILE: 'go',
        XDSCOPE_ERROR_MODEL: 'a88',
        XDSCOPE_MAX_MESSAGE_MEGABYTES: '4',
      }),
    );
    expect(byEnvironment).toEqual(byFlag);
    const [own] = adsOf(readYaml('ads: [{target: "a.example:1", mode: observe}]', flags.slice(2)));
    expect(own?.settings).toMatchObject({ transport: 'delta-ads', mode: 'observe' });
  });

  it('may observe one target by several transports, each as a client of its own', () => {
    const config = readYaml(
      'ads: ["a.example:1", {target: "a.example:1", transport: delta-ads}, {target: "a.example:1", apiVersion: v2, transport: sotw}]',
    );
    expect(adsOf(config).map(({ id, node }) => [id, node.id])).toEqual([
      ['ads:a.example:1', 'xdscope-probe@a.example:1'],
      ['ads:a.example:1?transport=delta-ads', 'xdscope-probe@a.example:1?transport=delta-ads'],
      ['ads:a.example:1?transport=sotw&api=v2', 'xdscope-probe@a.example:1?transport=sotw&api=v2'],
    ]);
  });

  it('are two with a cross-check, wherever it is stated', () => {
    const ids = ['ads:a.example:1', 'ads:a.example:1?transport=delta-ads'];
    const configs = [
      read(['--ads', 'a.example:1', '--ads-cross-check']),
      read(['--ads', 'a.example:1'], { XDSCOPE_ADS_CROSS_CHECK: '1' }),
      readYaml('ads: [{target: "a.example:1", crossCheck: true}]'),
    ];
    for (const config of configs) expect(sourcesOf(config, 'ads').map(({ id }) => id)).toEqual(ids);
    const [yaml] = configs.slice(2);
    expect(yaml && sourcesOf(yaml, 'ads').map(({ label }) => label)).toEqual([
      'a.example:1',
      'a.example:1, delta',
    ]);
    expect(
      sourcesOf(readYaml('ads: [{target: "a:1", transport: delta, crossCheck: true}]'), 'ads').map(
        ({ id }) => id,
      ),
    ).toEqual(['ads:a:1?transport=delta', 'ads:a:1?transport=sotw']);
    expect(() => readYaml('ads: [{target: "a:1", transport: rest, crossCheck: true}]')).toThrow(
      'ads.0.crossCheck: expected a transport that has two variants (ads, delta-ads, sotw, delta), got "rest"',
    );
  });

  it('subscribe to all listeners and clusters beside resources of other types', () => {
    const yaml = readYaml(
      'ads: [{target: "a:1", resources: {SDS: [x]}}, {target: "b:1", resources: {SDS: [x]}, listeners: [y]}]',
    );
    expect(adsOf(yaml).map(({ settings }) => settings.interest.wildcard)).toEqual([true, false]);
  });

  it('identify as a client of the control plane, with request metadata', () => {
    writeFileSync(path.join(dir, 'token'), 'secret');
    const flags = ['--ads', 'a.example:1', '--ads-node-preset', 'istio:cart-1.shop'];
    const [source] = adsOf(
      read([...flags, '--ads-header', 'x-token=@token', '--ads-server-name', 'istiod.istio-system.svc']),
    );
    const callCredentials = [{ kind: 'header', name: 'x-token', file: path.join(dir, 'token') }];
    expect(source).toMatchObject({
      node: { id: 'sidecar~127.0.0.1~cart-1.shop~shop.svc.cluster.local' },
      settings: {
        servers: [{ credentials: { kind: 'tls', serverName: 'istiod.istio-system.svc' }, callCredentials }],
      },
    });
    const yaml = readYaml(
      'ads: [{target: "a:1", nodePreset: "envoy-gateway:default/eg", headers: {x-a: b}}, {target: "a:1", nodePreset: "envoy-gateway:default/other"}]',
    );
    expect(
      adsOf(yaml).map(({ id, node, settings }) => [id, node.cluster, settings.servers[0]?.callCredentials]),
    ).toEqual([
      ['ads:a:1', 'default/eg', [{ kind: 'header', name: 'x-a', value: 'b' }]],
      ['ads:a:1?mode=observe&cluster=default%2Fother', 'default/other', []],
    ]);
  });

  it("identify by the node of a proxy's own bootstrap, at another server", () => {
    const bootstrap = 'node: {id: edge-1, cluster: edge}\nstatic_resources: {}\n';
    writeFileSync(path.join(dir, 'envoy.yaml'), bootstrap);
    const configs = [
      read(['--ads', 'a.example:1', '--ads-node-bootstrap', 'envoy.yaml']),
      readYaml('ads: [{target: "a.example:1", bootstrap: envoy.yaml}]'),
    ];
    for (const config of configs) {
      expect(adsOf(config)).toMatchObject([
        {
          node: { id: 'edge-1', cluster: 'edge' },
          settings: { transport: 'ads', servers: [{ target: { text: 'a.example:1' } }] },
        },
      ]);
    }
    const [preset] = adsOf(
      read(['--ads', 'a:1', '--ads-node-bootstrap', 'envoy.yaml', '--ads-node-id', 'edge-2']),
    );
    expect(preset?.node).toMatchObject({ id: 'edge-2', cluster: 'edge' });
  });

  it.each([
    [
      ['--ads-header', 'secret'],
      '--ads-header: expected name=value or name=@file, got a text without "=" or a name',
    ],
    [
      ['--ads-header', 'Bad Name=x'],
      'expected a metadata key of lower-case letters, digits, "_", "-" and ".", got "Bad Name"',
    ],
    [['--ads-header', 'grpc-timeout=x'], 'got "grpc-timeout"'],
    [['--ads-node-preset', 'istio:cart'], 'nodePreset: expected istio:NAME.NAMESPACE'],
    [['--ads-node-metadata', '[]'], 'nodeMetadata: expected the JSON of an object, got "[]"'],
    [['--keepalive', '1ms'], '--keepalive: expected 100ms to 60m, got "1ms"'],
  ])('reject %s', (flags, message) => {
    expect(() => read(['--ads', 'a.example:1', ...flags])).toThrow(message);
  });

  it('may observe one target in several modes and as several nodes, the first under the plain id', () => {
    const config = readYaml(
      'ads: ["a.example:1", {target: "a.example:1", mode: validate, profile: go}, {target: "a.example:1", nodeId: "me & you"}]',
    );
    expect(adsOf(config).map(({ id, node }) => [id, node.id])).toEqual([
      ['ads:a.example:1', 'xdscope-probe@a.example:1'],
      ['ads:a.example:1?mode=validate&profile=go', 'xdscope-probe@a.example:1?mode=validate&profile=go'],
      ['ads:a.example:1?mode=observe&node=me%20%26%20you', 'me & you'],
    ]);
    expect(() => readYaml('ads: [{target: "a:1", nodeId: x}, {target: "a:1", nodeId: x}]')).toThrow(
      'got a:1 twice',
    );
  });

  it('use the servers, authorities, credentials and node of a bootstrap, with the given targets', () => {
    writeFileSync(path.join(dir, 'bootstrap.json'), JSON.stringify(federated));
    const flags = ['--bootstrap', 'bootstrap.json', '--target', 'xds:///shop', '--target', 'xds://mesh/cart'];
    const [source] = adsOf(read([...flags, '--ads-transport', 'delta-ads']));
    expect(source).toMatchObject({
      id: 'ads:a.example:1?transport=delta-ads',
      node: { id: 'client-1', cluster: 'c', metadata: { app: 'x' } },
    });
    expect(source?.settings.servers.map(({ target }) => target.text)).toEqual(['a.example:1', 'b.example:2']);
    expect(source?.settings.authorities.get('mesh')?.servers[0]?.target.text).toBe('c.example:3');
    expect(source?.settings.certificateProviders).toEqual(new Set(['id1']));
    expect(source?.settings.interest).toEqual({
      wildcard: false,
      listeners: [
        'xdstp://mesh/envoy.config.listener.v3.Listener/shop?env=test',
        'xdstp://mesh/envoy.config.listener.v3.Listener/cart',
      ],
      resources: new Map(),
    });
  });

  describe('with addresses that a server listens on', () => {
    const template = 'xdstp://mesh/envoy.config.listener.v3.Listener/server?listening_address=%s';
    const write = (more: object) =>
      writeFileSync(path.join(dir, 'server.json'), JSON.stringify({ ...federated, ...more }));
    const listenersOf = (config: ReturnType<typeof read>) => adsOf(config)[0]?.settings.interest.listeners;

    it('subscribe to the listeners that the template of the bootstrap makes of the addresses', () => {
      write({ server_listener_resource_name_template: template });
      const names = [template.replace('%s', '0.0.0.0:8080'), template.replace('%s', '%5B::1%5D:443')];
      const flags = ['--bootstrap', 'server.json', '--server-listener', '0.0.0.0:8080'];
      expect(listenersOf(read([...flags, '--server-listener', '[::1]:443']))).toEqual(names);
      expect(
        listenersOf(read(flags.slice(0, 2), { XDSCOPE_SERVER_LISTENER: '0.0.0.0:8080,[::1]:443' })),
      ).toEqual(names);
      const yaml = 'ads: [{bootstrap: server.json, serverListeners: ["0.0.0.0:8080", "[::1]:443"]}]';
      expect(listenersOf(readYaml(yaml))).toEqual(names);
      // A second source without a bootstrap is no server.
      expect(adsOf(read([...flags, '--ads', 'a.example:9']))).toHaveLength(2);
    });

    it('are rejected with the missing setting', () => {
      write({});
      const beside = 'expected a bootstrap with server_listener_resource_name_template beside it';
      const flags = ['--bootstrap', 'server.json', '--server-listener'];
      expect(() => read([...flags, '0.0.0.0:8080'])).toThrow(
        `--server-listener: ${beside}, got a bootstrap without`,
      );
      expect(() => readYaml('ads: [{target: "a:1", serverListeners: ["0.0.0.0:8080"]}]')).toThrow(
        `ads.0.serverListeners.0: ${beside}, got no bootstrap`,
      );
      expect(() => read(['--ads', 'a:1', '--server-listener', '0.0.0.0:8080'])).toThrow(
        '--server-listener: expected --bootstrap beside it, got none',
      );
      write({ server_listener_resource_name_template: template });
      expect(() => read([...flags, 'no port'])).toThrow('--server-listener: expected host:port');
    });
  });

  it('have servers to fall back to, TLS files, features and roots of any type in the config file', () => {
    const [source] = adsOf(
      readYaml(`
ads:
  - target: a.example:1
    fallbackServers: [b.example:2]
    tls: {caCertificateFile: ca.pem, certificateFile: /k/cert.pem, privateKeyFile: /k/key.pem, refreshIntervalSeconds: 60}
    jwtTokenFile: token
    features: [ignore_resource_deletion]
    listeners: [shop, "xds:///cart", shop]
    resources: {sds: [ca], "envoy.config.cluster.v3.Cluster": [x]}
    nodeId: me
    refreshDelaySeconds: 0.5
`),
    );
    const secured = {
      credentials: {
        kind: 'tls',
        caCertificateFile: path.join(dir, 'ca.pem'),
        certificateFile: '/k/cert.pem',
        privateKeyFile: '/k/key.pem',
        refreshIntervalMs: 60_000,
      },
      callCredentials: [{ kind: 'jwt_token_file', file: path.join(dir, 'token') }],
      features: new Set(['ignore_resource_deletion']),
    };
    expect(source?.settings).toMatchObject({
      servers: [
        { target: { text: 'a.example:1' }, ...secured },
        { target: { text: 'b.example:2' }, ...secured },
      ],
      interest: {
        wildcard: false,
        listeners: ['shop', 'cart'],
        resources: new Map([
          [SDS.typeUrl, ['ca']],
          [CDS.typeUrl, ['x']],
        ]),
      },
      refreshDelayMs: 500,
    });
    expect(source?.node.id).toBe('me');
  });

  it('may be files, each type with its own', () => {
    const [source] = adsOf(
      readYaml(
        'ads: [{transport: file, target: mine, files: {LDS: lds.yaml, CDS: {path: cds.pb, watchedDirectory: .}}}]',
      ),
    );
    expect(source?.id).toBe('ads:mine?transport=file');
    expect(source?.settings.files).toEqual(
      new Map([
        [LDS.typeUrl, { path: path.join(dir, 'lds.yaml'), watchedDirectory: null }],
        [CDS.typeUrl, { path: path.join(dir, 'cds.pb'), watchedDirectory: dir }],
      ]),
    );
  });
});

describe('CSDS sources from a config', () => {
  it('use plain text, or TLS with the given files', () => {
    const config = readYaml('csds: ["a.example:1", {target: "b.example:2", tls: {}, jwtTokenFile: /t}]');
    expect(sourcesOf(config, 'csds').map(({ setup }) => setup)).toEqual([
      { kind: 'csds', security: { credentials: { kind: 'insecure' }, callCredentials: [] } },
      {
        kind: 'csds',
        security: {
          credentials: {
            kind: 'tls',
            caCertificateFile: null,
            certificateFile: null,
            privateKeyFile: null,
            refreshIntervalMs: 600_000,
          },
          callCredentials: [{ kind: 'jwt_token_file', file: '/t' }],
        },
      },
    ]);
  });
});

describe('named credentials of a config', () => {
  const entries = [
    'credentials:',
    '  bound: {tls: {caCertificateFile: ca.pem}, jwtTokenFile: token, targets: ["*.mesh.svc:15012", "[fd00::/8]:*"]}',
    '  used: {tls: {certificateFile: /c.pem, privateKeyFile: /k.pem}}',
    '  unused: {tls: {}}',
  ].join('\n');
  const bound = {
    credentials: {
      kind: 'tls',
      caCertificateFile: path.join(dir, 'ca.pem'),
      certificateFile: null,
      privateKeyFile: null,
      refreshIntervalMs: 600_000,
    },
    callCredentials: [{ kind: 'jwt_token_file', file: path.join(dir, 'token') }],
  };

  it('are used by the sources that name them, with their files', () => {
    const config = readYaml(`${entries}
csds: [{target: "a.example:1", credentials: bound}]
csdsDns: [{target: "b.example:1", credentials: bound}]
istiod: [{target: "c.example:1", credentials: bound}]
ads: [{target: "d.example:1", credentials: bound, fallbackServers: ["e.example:1"]}]`);
    for (const kind of ['csds', 'istiod'] as const) {
      expect(sourcesOf(config, kind)[0]?.setup).toMatchObject({ security: bound });
    }
    expect(sourcesOf(config, 'csds-list')[0]?.setup).toMatchObject({ member: { security: bound } });
    expect(sourcesOf(config, 'ads')[0]?.setup).toMatchObject({ settings: { servers: [bound, bound] } });
  });

  it('may be used by callers with the targets that they name, else with those of the sources that use them', () => {
    const { credentials } = readYaml(`${entries}
csds: [{target: "a.example:1", credentials: used}, {target: "z.example:1"}]
csdsDns: [{target: "b.example:1", credentials: used}]
csdsFiles: [{path: list.txt, credentials: used}]
istiod: [{target: "c.example:1", credentials: bound}]
ads: [{target: "d.example:1", credentials: used, fallbackServers: ["e.example:1"]}]`);
    expect([...credentials].map(([name, { targets }]) => [name, targets])).toEqual([
      ['bound', ['*.mesh.svc:15012', '[fd00::/8]:*']],
      ['used', ['a.example:1', 'b.example:1', 'd.example:1', 'e.example:1']],
      ['unused', []],
    ]);
  });

  it.each([
    [
      'a name that is none',
      'csds: [{target: "a:1", credentials: x}]',
      'csds.0.credentials: expected bound, used, unused, got "x"',
    ],
    [
      'files beside a name',
      'csds: [{target: "a:1", credentials: bound, tls: {}}]',
      'csds.0.tls: expected nothing beside credentials, got it',
    ],
  ])('are rejected: %s', (_what, yaml, message) => {
    expect(() => readYaml(`${entries}\n${yaml}`)).toThrow(new ConfigError(message));
  });

  it.each([
    [
      'a key alone',
      '{tls: {privateKeyFile: k}}',
      'credentials.x.tls.certificateFile: expected a file beside',
    ],
    ['a token without TLS', '{jwtTokenFile: t}', 'credentials.x.tls: expected TLS to send the token over'],
    ['all targets', '{tls: {}, targets: ["*:1"]}', 'credentials.x.targets.0: expected HOST:PORT'],
    [
      'a target without port',
      '{tls: {}, targets: ["a.example"]}',
      'credentials.x.targets.0: expected HOST:PORT',
    ],
    ['an unknown field', '{password: a}', 'credentials.x: expected settings that are known, got "password"'],
  ])('are rejected: %s', (_what, entry, message) => {
    expect(() => readYaml(`credentials: {x: ${entry}}`)).toThrow(message);
  });
});

describe('Envoys from a config', () => {
  it('are named by file, flag or environment, and polled every 15 s by default', () => {
    const config = readYaml('envoyAdmin: ["10.0.0.9:9901", {target: "edge.example:9901", label: edge}]');
    expect(sourcesOf(config, 'envoy-admin')).toMatchObject([
      { id: 'envoy-admin:10.0.0.9:9901', label: '10.0.0.9:9901', setup: { kind: 'envoy-admin' } },
      { id: 'envoy-admin:edge.example:9901', label: 'edge' },
    ]);
    expect(config).toMatchObject({ intervalsMs: { 'envoy-admin': 15_000 }, lab: false });
    const stated = read(['--envoy-admin', 'a:1', '--envoy-admin-interval', '1m']);
    expect(stated).toMatchObject({
      sources: [{ target: 'a:1', origin: 'flag' }],
      intervalsMs: { 'envoy-admin': 60_000 },
    });
    expect(sourcesOf(read([], { XDSCOPE_ENVOY_ADMIN: 'b:2' }), 'envoy-admin')).toMatchObject([
      { origin: 'environment' },
    ]);
    expect(() => read(['--envoy-admin', 'http://a:1'])).toThrow(/--envoy-admin: expected host:port/);
    expect(() => read(['--envoy-admin', 'a:1', '--envoy-admin', 'a:1'])).toThrow(/got a:1 twice/);
  });

  it('reads Unix sockets of admin interfaces', () => {
    const config = readYaml('envoyAdmin: [{target: "unix:/run/envoy.sock", label: edge}]');
    expect(sourcesOf(config, 'envoy-admin')).toMatchObject([
      { id: 'envoy-admin:unix:/run/envoy.sock', target: 'unix:/run/envoy.sock', label: 'edge' },
    ]);
    expect(read(['--envoy-admin', 'unix:///run/envoy.sock'])).toMatchObject({
      sources: [{ target: 'unix:/run/envoy.sock', origin: 'flag' }],
    });
    expect(() => read(['--envoy-admin', 'unix:run/envoy.sock'])).toThrow(
      '--envoy-admin: expected unix: and an absolute path, got "run/envoy.sock"',
    );
    expect(() => read(['--envoy-admin', `unix:/${'a'.repeat(107)}`])).toThrow(
      'expected unix: and a path of at most 107 bytes, got 108 bytes',
    );
    expect(() => read(['--csds', 'unix:/run/csds.sock'])).toThrow(/--csds: expected host:port/);
  });
});

describe('targets of every polled kind', () => {
  it('may be the addresses of a DNS name, and the lines of a file', () => {
    const config = readYaml(`
csdsDns: [{target: "a.example:1", label: a}]
csdsFiles: [a.txt]
envoyAdminDns: ["b.example:9901"]
envoyAdminFiles: [b.txt]
istiodDns: [{target: "c.example:15012", tls: {}, nodeId: "sidecar~1.1.1.1~x.ops~ops.svc"}]
istiodFiles: [c.txt]
channelzDns: ["d.example:50051"]
channelzFiles: [d.txt]`);
    const file = (name: string) => ({ kind: 'file', path: path.join(dir, name) });
    expect(sourcesOf(config, 'csds-list').map(({ setup }) => setup)).toMatchObject([
      { from: { kind: 'dns', target: { text: 'a.example:1' } }, member: { kind: 'csds' } },
      { from: file('a.txt'), member: { kind: 'csds' } },
    ]);
    expect(sourcesOf(config, 'envoy-admin-list').map(({ id, setup }) => [id, setup])).toMatchObject([
      ['envoy-admin-list:b.example:9901', { member: { kind: 'envoy-admin' } }],
      [`envoy-admin-list:${path.join(dir, 'b.txt')}`, { from: file('b.txt') }],
    ]);
    expect(sourcesOf(config, 'istiod-list').map(({ setup }) => setup)).toMatchObject([
      { member: { kind: 'istiod', serverName: 'c.example', nodeId: 'sidecar~1.1.1.1~x.ops~ops.svc' } },
      { from: file('c.txt'), member: { kind: 'istiod' } },
    ]);
    expect(sourcesOf(config, 'channelz-list').map(({ setup }) => setup)).toMatchObject([
      { from: { kind: 'dns', target: { text: 'd.example:50051' } }, member: { kind: 'channelz' } },
      { from: file('d.txt'), member: { kind: 'channelz' } },
    ]);
    const stated = read(['--istiod-dns', 'a:1'], { XDSCOPE_ENVOY_ADMIN_FILE: 'x.txt, y.txt' });
    expect(stated.sources.map(({ setup, origin }) => [setup.kind, origin])).toEqual([
      ['envoy-admin-list', 'environment'],
      ['envoy-admin-list', 'environment'],
      ['istiod-list', 'flag'],
    ]);
    expect(() => read(['--envoy-admin-dns', 'x'])).toThrow(/^--envoy-admin-dns: expected host:port/);
  });
});

describe('--csds-channelz', () => {
  it('polls channelz of every CSDS target and of every list of them, with the same security', () => {
    const config = read(['--csds-channelz', '--csds', 'a.example:1', '--csds-dns', 'b.example:2']);
    expect(config.sources.map(({ id, target, setup }) => [id, target, setup.kind])).toEqual([
      ['csds:a.example:1', 'a.example:1', 'csds'],
      ['csds-list:b.example:2', 'b.example:2', 'csds-list'],
      ['channelz:a.example:1', 'a.example:1', 'channelz'],
      ['channelz-list:b.example:2', 'b.example:2', 'channelz-list'],
    ]);
    const secured = readYaml('csdsChannelz: true\ncsds: [{target: "a.example:1", tls: {}}]');
    expect(sourcesOf(secured, 'channelz')).toMatchObject([
      { setup: { kind: 'channelz', security: { credentials: { kind: 'tls' } } } },
    ]);
    expect(read(['--csds', 'a.example:1']).sources).toHaveLength(1);
  });
});

describe('istiods from a config', () => {
  it('are named by file, flag or environment, with TLS, token and node if stated', () => {
    const config = readYaml(
      'istiod: ["istiod.istio-system:15012", {target: "127.0.0.1:15010", label: old, nodeId: "sidecar~1.1.1.1~x.ops~ops.svc"}]',
    );
    expect(sourcesOf(config, 'istiod')).toMatchObject([
      {
        id: 'istiod:istiod.istio-system:15012',
        setup: { kind: 'istiod', nodeId: expect.stringMatching(/^sidecar~/) },
      },
      { id: 'istiod:127.0.0.1:15010', label: 'old', setup: { nodeId: 'sidecar~1.1.1.1~x.ops~ops.svc' } },
    ]);
    expect(config).toMatchObject({ intervalsMs: { istiod: 10_000 }, lab: false });
    const stated = read(['--istiod', 'a:1', '--istiod-interval', '30s']);
    expect(stated).toMatchObject({
      sources: [{ target: 'a:1', origin: 'flag' }],
      intervalsMs: { istiod: 30_000 },
    });
    expect(sourcesOf(read([], { XDSCOPE_ISTIOD: 'b:2' }), 'istiod')).toMatchObject([
      { origin: 'environment' },
    ]);
    expect(() => read(['--istiod', 'http://a:1'])).toThrow(/--istiod: expected host:port/);
    expect(() => readYaml('istiod: [{target: "a:1", node: me}]')).toThrow(/istiod\.0/);
  });
});

describe('an invalid source is rejected in one line, with its field', () => {
  const odd: [string, string, string[], string][] = [
    [
      'a transport that is none',
      '',
      ['--ads', 'a:1', '--ads-transport', 'grpc'],
      'flags: adsTransport: expected one of ads, delta-ads, sotw, delta, rest, file, got "grpc"',
    ],
    [
      'a mode that is none',
      'ads: [{target: "a:1", mode: rude}]',
      [],
      'ads.0.mode: expected one of observe, validate, got "rude"',
    ],
    [
      'a certificate without a key',
      'ads: [{target: "a:1", tls: {certificateFile: a}}]',
      [],
      'ads.0.tls.privateKeyFile: expected a file beside certificateFile, got nothing',
    ],
    [
      'a token over plain text',
      'ads: [{target: "a:1", jwtTokenFile: a}]',
      [],
      'ads.0.tls: expected TLS to send the token over, got nothing',
    ],
    [
      'a name of another type',
      'ads: [{target: "a:1", resources: {CDS: ["xdstp://x/a.B/c"]}}]',
      [],
      'ads.0.resources.CDS.0: expected the type envoy.config.cluster.v3.Cluster in the resource name, got "xdstp://x/a.B/c"',
    ],
    [
      'a type that is none',
      'ads: [{target: "a:1", resources: {XYZ: [a]}}]',
      [],
      'ads.0.resources: expected one of LDS, RDS, SRDS, VHDS, CDS, EDS, SDS, RTDS, ECDS or a type URL, got "XYZ"',
    ],
    [
      'an authority without a bootstrap',
      '',
      ['--ads', 'a:1', '--target', 'xds://mesh/x'],
      '--target: expected an authority that the bootstrap has (it has none), got "mesh" in "xds://mesh/x"',
    ],
    [
      'a target without a server',
      '',
      ['--target', 'xds:///x'],
      '--target: expected --ads or --bootstrap beside it',
    ],
    ['nothing to reach', 'ads: [{label: x}]', [], 'ads.0: expected a target, or a bootstrap'],
    ['files without the files', 'ads: [{transport: file}]', [], 'ads.0.files: expected a file for each type'],
    [
      'a second server that is none',
      'ads: [{target: "a:1", fallbackServers: ["dns:///b:1"]}]',
      [],
      'ads.0.fallbackServers.0: expected host:port, got "dns:///b:1"',
    ],
    [
      'a limit of nothing',
      '',
      ['--ads', 'a:1', '--max-message-megabytes', '0'],
      'maxMessageMegabytes: expected a number of MiB, above 0 and at most 2047, got "0"',
    ],
    [
      'a setting that is unknown',
      'ads: [{target: "a:1", maner: observe}]',
      [],
      'ads.0: expected settings that are known, got "maner"',
    ],
  ];
  it.each(odd)('%s', (_what, yaml, argv, message) => {
    const start = () => readYaml(yaml, argv);
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(message);
    expect(start).toThrow(/^.*$/);
  });
});
