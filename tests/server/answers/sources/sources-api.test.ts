import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newSource, sourceChange, sourcesQuery } from '@/lib/views/sources/schema';
import { parseInput } from '@/server/answers/parse-input';
import { SourcesApi } from '@/server/answers/sources/sources-api';
import type { AllCredentials } from '@/server/collect/source-kind/named-credentials';
import { initialSourceStatus, type RunningSource } from '@/server/source-status';
import { describeSource } from '@/server/sources/describe-source';
import { SavedSources, setUpSavedSource, sourcesEntry } from '@/server/sources/saved-sources';
import type { SourceSetup } from '@/server/sources/source-kinds';
import { SourceRegistry } from '@/server/sources/source-registry';
import { type StarterOf, startNothing } from '@/server/sources/source-starter';
import { KeptValue } from '@/server/store/kept-value';
import type { StateStore } from '@/server/store/state';
import { openTestState } from '../../../support/test-state';

let saved: SavedSources;
let state: StateStore;
let registry: SourceRegistry;
const add = async (input: unknown) => api.add(parseInput(newSource, input));
const change = async (id: string, input: unknown) => api.change(id, parseInput(sourceChange, input));
let api: SourcesApi;
let reported: string[];
/** The setups that the sources were started with. */
let started: SourceSetup[];
const meshA = {
  credentials: {
    kind: 'tls',
    caCertificateFile: '/etc/mesh/ca.pem',
    certificateFile: '/etc/mesh/cert.pem',
    privateKeyFile: '/etc/mesh/key.pem',
    refreshIntervalMs: 600_000,
  },
  callCredentials: [{ kind: 'jwt_token_file', file: '/etc/mesh/token' }],
} as const;
const credentials: AllCredentials = new Map([
  ['mesh-a', { security: meshA, targets: ['*.mesh.svc:15012', '127.0.0.1:1'] }],
  ['unbound', { security: meshA, targets: [] }],
]);
/** Resolvers of sources that are being closed. */
let closing: (() => void)[];

/** A source that takes its time to close. */
function idleSource(): RunningSource {
  return {
    status: initialSourceStatus,
    start() {},
    pause() {},
    resume() {},
    close: () => new Promise((resolve) => closing.push(resolve)),
  };
}

beforeEach(async () => {
  state = await openTestState();
  saved = new SavedSources(await KeptValue.open(state, sourcesEntry), credentials);
  reported = [];
  registry = new SourceRegistry({
    onStart: () => undefined,
    onChange: ({ id }) => reported.push(`added ${id}`),
    onRemoved: ({ id }) => reported.push(`removed ${id}`),
  });
  started = [];
  const starterOf: StarterOf = (_source, setup) => {
    started.push(setup);
    return idleSource;
  };
  api = new SourcesApi({ registry, saved, starterOf, credentials });
  closing = [];
});

const csds = { kind: 'csds', target: '127.0.0.1:1' };
const insecureServer = { server_uri: 'a.example:1', channel_creds: [{ type: 'insecure' }] };
const serverWithToken = {
  server_uri: 'a.example:1',
  channel_creds: [{ type: 'tls' }],
  call_creds: [{ type: 'jwt_token_file', config: { jwt_token_file: '/t' } }],
};

describe('SourcesApi', () => {
  it('keeps a source that is added again while its predecessor is closing', async () => {
    const { id } = await add(csds);
    const removed = api.remove(id);
    await vi.waitFor(() => expect(closing).toHaveLength(1));
    await add(csds);
    for (const resolve of closing) resolve();
    await removed;
    expect(saved.content.sources).toMatchObject([csds]);
    expect(registry.has(id)).toBe(true);
    expect(reported).toEqual([`added ${id}`, `removed ${id}`, `added ${id}`]);
  });

  it('starts no source that it cannot save', async () => {
    await state.close();
    await expect(add(csds)).rejects.toThrow('destroyed');
    expect(registry.list()).toEqual([]);
  });

  const rejected: [string, object, string, string][] = [
    [
      'a kind that is none',
      { kind: 'dns', target: 'a:1' },
      'kind',
      'expected one of csds, envoy-admin, istiod, channelz, interop, ads, got "dns"',
    ],
    ['no target', { kind: 'ads' }, 'target', 'expected host:port, got nothing'],
    ['a target with a path', { kind: 'csds', target: 'a:1/x' }, 'target', 'paths are not allowed'],
    [
      'a transport that is none',
      { kind: 'ads', target: 'a:1', settings: { transport: 'carrier-pigeon' } },
      'settings.transport',
      'expected one of ads, delta-ads, sotw, delta, rest, file, got "carrier-pigeon"',
    ],
    [
      'files, which only who starts xdscope may name',
      { kind: 'ads', target: 'a:1', settings: { transport: 'file' } },
      'settings.transport',
      'files are named in the config file alone',
    ],
    ...['caCertificateFile', 'certificateFile', 'privateKeyFile'].map(
      (key): [string, object, string, string] => [
        `a file as ${key}`,
        { kind: 'csds', target: 'a:1', settings: { tls: { [key]: '/etc/passwd' } } },
        'settings.tls',
        `expected serverName alone, got ${key}: files are named in the config file, as credentials`,
      ],
    ),
    [
      'a token file',
      { kind: 'ads', target: 'a:1', settings: { jwtTokenFile: '/t' } },
      'settings',
      'Unrecognized key',
    ],
    [
      'credentials that are none',
      { kind: 'istiod', target: 'a:1', settings: { credentials: 'mesh-b' } },
      'settings.credentials',
      'expected mesh-a, unbound, got "mesh-b"',
    ],
    ...['csds', 'istiod', 'ads'].map((kind): [string, object, string, string] => [
      `credentials for a server that they are not for (${kind})`,
      { kind, target: 'evil.example:15012', settings: { credentials: 'mesh-a' } },
      'settings.credentials',
      '"mesh-a" may be used with *.mesh.svc:15012, 127.0.0.1:1; got evil.example:15012',
    ]),
    [
      'credentials for a port that they are not for',
      { kind: 'csds', target: 'istiod.mesh.svc:15010', settings: { credentials: 'mesh-a' } },
      'settings.credentials',
      'got istiod.mesh.svc:15010',
    ],
    [
      'credentials for a fallback server that they are not for',
      { kind: 'ads', target: '127.0.0.1:1', settings: { credentials: 'mesh-a', fallbackServers: ['b:1'] } },
      'settings.credentials',
      'got b:1',
    ],
    [
      'credentials for a server of a bootstrap that they are not for',
      {
        kind: 'ads',
        bootstrap: {
          xds_servers: [{ ...insecureServer, server_uri: '127.0.0.1:1' }],
          authorities: { mesh: { xds_servers: [insecureServer] } },
        },
        settings: { credentials: 'mesh-a' },
      },
      'settings.credentials',
      'got a.example:1',
    ],
    [
      'credentials that the config file binds to no target',
      { kind: 'csds', target: '127.0.0.1:1', settings: { credentials: 'unbound' } },
      'settings.credentials',
      '"unbound" may be used with no target',
    ],
    [
      'another server name beside credentials, which say it themselves',
      { kind: 'csds', target: '127.0.0.1:1', settings: { credentials: 'mesh-a', tls: { serverName: 'a' } } },
      'settings.tls',
      'expected nothing beside credentials',
    ],
    ['a unix socket', { kind: 'csds', target: 'unix:///run/x.sock' }, 'target', 'leave the scheme out'],
    [
      'a bootstrap of unix sockets alone',
      { kind: 'ads', bootstrap: { xds_servers: [{ ...insecureServer, server_uri: 'unix:///run/x.sock' }] } },
      'bootstrap',
      'xds_servers: expected a server with a TCP address, got unix sockets alone',
    ],
    [
      'the mode of a CSDS source',
      { kind: 'csds', target: 'a:1', settings: { mode: 'observe' } },
      'settings.mode',
      'expected tls or credentials alone for a CSDS source',
    ],
    [
      'TLS beside a bootstrap',
      { kind: 'ads', bootstrap: { xds_servers: [insecureServer] }, settings: { tls: {} } },
      'settings.tls',
      'expected nothing beside a bootstrap',
    ],
    ['a bootstrap that is no JSON', { kind: 'ads', bootstrap: '{' }, 'bootstrap', 'expected JSON'],
    [
      'a bootstrap without servers',
      { kind: 'ads', bootstrap: '{}' },
      'bootstrap',
      'xds_servers: expected a list, got nothing',
    ],
    [
      'a listener of another type',
      { kind: 'ads', target: 'a:1', settings: { listeners: ['a', 'xdstp://x/y/z'] } },
      'settings.listeners.1',
      'expected the type envoy.config.listener.v3.Listener in the resource name',
    ],
    ['a field that is unknown', { kind: 'ads', target: 'a:1', tls: true }, 'body', 'Unrecognized key'],
  ];
  for (const [what, input, field, message] of rejected) {
    it(`rejects ${what}, and names the field`, async () => {
      await expect(add(input)).rejects.toThrow(
        expect.objectContaining({ status: 400, field, detail: expect.stringContaining(message) }),
      );
      expect(saved.content.sources).toEqual([]);
    });
  }

  it('starts a source with its settings, also after a restart', async () => {
    const settings = { transport: 'delta-ads', mode: 'validate', profile: 'go', listeners: ['shop'] };
    const source = await add({ kind: 'ads', target: '127.0.0.1:1', label: 'shop', settings });
    expect(source).toMatchObject({
      id: 'ads:127.0.0.1:1?transport=delta-ads',
      label: 'shop',
      security: 'plain',
      settings: { ...settings, nodeId: 'xdscope-probe@127.0.0.1:1?transport=delta-ads' },
    });
    const [before] = started;
    const [kept] = saved.content.sources;
    if (kept === undefined) throw new Error('nothing was saved');
    expect(setUpSavedSource(kept)).toMatchObject({ id: source.id, setup: before });
  });

  it('saves the used parts of a bootstrap, without secrets of other credentials', async () => {
    const secret = { type: 'magic', config: { password: 'hunter2' } };
    const bootstrap = {
      xds_servers: [{ ...insecureServer, channel_creds: [secret, ...insecureServer.channel_creds] }],
      node: { id: 'me' },
      authorities: { mesh: {} },
      certificate_providers: { p: { plugin_name: 'other', config: { token: 'hunter2' } } },
      unknown: 'hunter2',
    };
    const source = await add({ kind: 'ads', bootstrap: JSON.stringify(bootstrap) });
    expect(source).toMatchObject({
      id: 'ads:a.example:1',
      target: 'a.example:1',
      settings: { nodeId: 'me', authorities: [{ name: 'mesh', servers: ['a.example:1'] }] },
    });
    expect(JSON.stringify(saved.content)).not.toContain('hunter2');
    const [kept] = saved.content.sources;
    expect(kept && setUpSavedSource(kept)).toMatchObject({ id: source.id, setup: started[0] });
  });

  it('uses node and transport of a bootstrap alone for a target beside it, also after a restart', async () => {
    const bootstrap = {
      dynamic_resources: { ads_config: { api_type: 'DELTA_GRPC' } },
      ...{ node: { id: 'edge-1', cluster: 'edge' }, admin: 'hunter2' },
    };
    const source = await add({ kind: 'ads', target: 'b.example:2', bootstrap });
    expect(source).toMatchObject({
      target: 'b.example:2',
      settings: { nodeId: 'edge-1', transport: 'delta-ads' },
    });
    expect(JSON.stringify(saved.content)).not.toContain('hunter2');
    const [kept] = saved.content.sources;
    expect(kept && saved.setUp(kept)).toMatchObject({ id: source.id, setup: started[0], problem: null });
  });

  it('ignores local files that a bootstrap names, notes them, and saves none of them', async () => {
    const files = { ca_certificate_file: '/c', certificate_file: '/d', private_key_file: '/k' };
    const unix = { ...insecureServer, server_uri: 'unix:///run/xds.sock' };
    const source = await add({
      kind: 'ads',
      bootstrap: {
        xds_servers: [
          { ...serverWithToken, channel_creds: [{ type: 'tls', config: files }] },
          unix,
          {
            ...insecureServer,
            channel_creds: [{ type: 'tls', config: { spiffe_trust_bundle_map_file: '/s' } }],
          },
        ],
        authorities: { gone: { xds_servers: [unix] }, kept: { xds_servers: [unix, insecureServer] } },
        certificate_providers: {
          p: { plugin_name: 'file_watcher', config: { certificate_file: '/d', private_key_file: '/k' } },
        },
      },
    });
    expect(source.notes).toEqual([
      'the bootstrap names files or sockets of this machine, which are ignored: ' +
        'xds_servers[0].channel_creds[0].config.ca_certificate_file, ' +
        'xds_servers[0].channel_creds[0].config.certificate_file, ' +
        'xds_servers[0].channel_creds[0].config.private_key_file, ' +
        'xds_servers[0].call_creds[0].config.jwt_token_file, ' +
        'xds_servers[1].server_uri, ' +
        'xds_servers[2].channel_creds[0].config.spiffe_trust_bundle_map_file, ' +
        'authorities.gone.xds_servers[0].server_uri, ' +
        'authorities.kept.xds_servers[0].server_uri, ' +
        'certificate_providers.p.config.certificate_file, ' +
        'certificate_providers.p.config.private_key_file',
    ]);
    expect(source.settings).toMatchObject({
      servers: [
        { target: 'a.example:1', security: 'tls', sendsToken: false },
        { target: 'a.example:1', security: 'tls', sendsToken: false },
      ],
      authorities: [{ name: 'kept', servers: ['a.example:1'] }],
    });
    const text = JSON.stringify(saved.content);
    expect(text).not.toMatch(/"\/[cdkst]"|xds\.sock/);
    // A restart finds the same source, which still has its setup.
    const [kept] = saved.content.sources;
    expect(kept && saved.setUp(kept)).toMatchObject({ id: source.id, setup: started[0], problem: null });
    expect(kept && saved.setUp(kept).ignored).toHaveLength(10);
  });

  it('uses credentials of the config file by name, and saves only the name', async () => {
    await add({ kind: 'csds', target: 'istiod.mesh.svc:15012', settings: { credentials: 'mesh-a' } });
    await add({ kind: 'istiod', target: '127.0.0.1:1', settings: { credentials: 'mesh-a', nodeId: 'me' } });
    const bootstrap = {
      xds_servers: [{ ...insecureServer, server_uri: 'x.mesh.svc:15012' }],
      authorities: { a: {} },
    };
    const ads = await add({ kind: 'ads', bootstrap, settings: { credentials: 'mesh-a' } });
    expect(ads).toMatchObject({
      security: 'mtls',
      settings: { servers: [{ security: 'mtls', sendsToken: true }] },
    });
    expect(started).toMatchObject([
      { kind: 'csds', security: meshA },
      { kind: 'istiod', security: meshA, nodeId: 'me' },
      { kind: 'ads', settings: { servers: [meshA] } },
    ]);
    const setup = started[2];
    expect(setup?.kind === 'ads' && setup.settings.authorities.get('a')?.servers).toMatchObject([meshA]);
    expect(JSON.stringify(saved.content)).not.toContain('/etc/mesh');
    expect(saved.content.sources.map((each) => saved.setUp(each).setup)).toEqual(started);
    expect(
      JSON.stringify([api.list(), api.page(sourcesQuery.parse({})), api.listCredentials()]),
    ).not.toContain('/etc/mesh');
  });

  it('lists credentials by name, with their allowed targets', async () => {
    expect(api.listCredentials()).toEqual([
      { name: 'mesh-a', targets: ['*.mesh.svc:15012', '127.0.0.1:1'] },
      { name: 'unbound', targets: [] },
    ]);
  });

  it('does not start a saved source whose credentials are missing or not allowed, shows why, and can remove it', async () => {
    const saving = [
      { kind: 'istiod', target: 'c:1', label: 'z', paused: false, settings: { credentials: 'gone' } },
      { kind: 'istiod', target: 'd:1', label: 'z', paused: false, settings: { credentials: 'mesh-a' } },
    ];
    await saved.change(() => sourcesEntry.schema.parse({ sources: saving, pausedIds: [] }));
    const ready = saved.content.sources.map((each) => saved.setUp(each));
    expect(ready.map(({ id, problem }) => [id, problem?.code, problem?.message])).toEqual([
      [
        'istiod:c:1',
        'CREDENTIALS_NOT_ALLOWED',
        'It is not started: settings.credentials: expected mesh-a, unbound, got "gone"',
      ],
      [
        'istiod:d:1',
        'CREDENTIALS_NOT_ALLOWED',
        'It is not started: settings.credentials: "mesh-a" may be used with *.mesh.svc:15012, 127.0.0.1:1; got d:1',
      ],
    ]);
    for (const { problem, ...source } of ready) {
      if (problem === null) continue;
      const named = { ...source, label: source.target, origin: 'browser' } as const;
      registry.add(describeSource(named, source.setup, source.id), startNothing(problem));
    }
    const down = { state: 'down', problem: { code: 'CREDENTIALS_NOT_ALLOWED' } };
    expect(api.find('istiod:c:1')).toMatchObject({ ...down, security: 'tls' });
    await change('istiod:c:1', { paused: true });
    const paused = api.find('istiod:c:1');
    expect(paused?.state).toBe('paused');
    expect(paused?.problem).toBeUndefined();
    await change('istiod:c:1', { paused: false });
    expect(api.find('istiod:c:1')).toMatchObject(down);
    expect(started).toEqual([]);
    await api.remove('istiod:c:1');
    expect(saved.content.sources.map(({ target }) => target)).toEqual(['d:1']);
  });

  it('names the saved sources that cannot be read', async () => {
    const odd = { sources: [{ kind: 'ads', target: 'x', label: 'x', paused: false }], pausedIds: [] };
    expect(() => sourcesEntry.schema.parse(odd)).toThrow('target: expected host:port, got');
  });

  it('connects to one target in two modes, and keeps both ids when a mode changes', async () => {
    const ads = { kind: 'ads', target: '127.0.0.1:1' };
    const plain = await add(ads);
    const settings = { mode: 'validate', profile: 'java' };
    const other = await add({ ...ads, settings });
    expect([plain.id, other.id]).toEqual(['ads:127.0.0.1:1', 'ads:127.0.0.1:1?mode=validate&profile=java']);
    await expect(add({ ...ads, settings })).rejects.toThrow(expect.objectContaining({ status: 409 }));
    await expect(add(ads)).rejects.toThrow(expect.objectContaining({ status: 409 }));
    const changing = change(other.id, { mode: 'observe' });
    await vi.waitFor(() => expect(closing).toHaveLength(1));
    for (const resolve of closing) resolve();
    expect(await changing).toMatchObject({ id: other.id, settings: { mode: 'observe' } });
    // A restart finds the same sources.
    expect(saved.content.sources.map((each) => setUpSavedSource(each).id)).toEqual([plain.id, other.id]);
    expect(started.map((setup) => setup.kind === 'ads' && setup.node.id)).toEqual([
      'xdscope-probe@127.0.0.1:1',
      `xdscope-probe@${other.id.slice(4)}`,
      `xdscope-probe@${other.id.slice(4)}`,
    ]);
  });

  it('changes the mode of a source under its id, and keeps it', async () => {
    const { id } = await add({ kind: 'ads', target: '127.0.0.1:1', settings: { listeners: ['shop'] } });
    const changing = change(id, { mode: 'validate', profile: 'java' });
    await vi.waitFor(() => expect(closing).toHaveLength(1));
    for (const resolve of closing) resolve();
    expect(await changing).toMatchObject({
      id,
      settings: { mode: 'validate', profile: 'java', listeners: ['shop'] },
    });
    expect(started.at(-1)).toMatchObject({ settings: { mode: 'validate', profile: 'java' } });
    expect(saved.content.sources).toMatchObject([{ settings: { mode: 'validate', profile: 'java' } }]);
  });

  it('rejects a change of the mode of a source that was not added in the browser, or has none', async () => {
    const { id } = await add(csds);
    await expect(change(id, { mode: 'observe' })).rejects.toMatchObject({ status: 409 });
    await expect(change(id, {})).rejects.toMatchObject({
      status: 400,
      detail: expect.stringContaining('expected paused, mode, profile or errorModel'),
    });
  });
});
