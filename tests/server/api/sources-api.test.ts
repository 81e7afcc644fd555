import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '@/server/api/api-error';
import { SourcesApi } from '@/server/api/sources-api';
import type { SourceSetup } from '@/server/config/source-setup';
import { initialSourceStatus, type RunningSource } from '@/server/source-status';
import { SavedSourcesFile, setUpSavedSource } from '@/server/sources/saved-sources';
import { SourceRegistry } from '@/server/sources/source-registry';
import type { StarterOf } from '@/server/sources/source-starter';

let dir: string;
let saved: SavedSourcesFile;
let registry: SourceRegistry;
let api: SourcesApi;
let told: string[];
/** What the sources were started with. */
let started: SourceSetup[];
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

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-sources-'));
  saved = new SavedSourcesFile(dir);
  told = [];
  registry = new SourceRegistry({
    onChange: ({ id }) => told.push(`added ${id}`),
    onRemoved: ({ id }) => told.push(`removed ${id}`),
  });
  started = [];
  const starterOf: StarterOf = (_source, setup) => {
    started.push(setup);
    return idleSource;
  };
  api = new SourcesApi({ registry, saved, starterOf });
  closing = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const csds = { kind: 'csds', target: '127.0.0.1:1' };
const insecureServer = { server_uri: 'a.example:1', channel_creds: [{ type: 'insecure' }] };
const serverWithToken = {
  server_uri: 'a.example:1',
  channel_creds: [{ type: 'tls' }],
  call_creds: [{ type: 'jwt_token_file', config: { jwt_token_file: '/t' } }],
};

describe('SourcesApi', () => {
  it('keeps a source that is added again while the one before is still closing', async () => {
    const { id } = api.add(csds);
    const removed = api.remove(id);
    api.add(csds);
    for (const resolve of closing) resolve();
    await removed;
    expect(saved.read().sources).toMatchObject([csds]);
    expect(registry.has(id)).toBe(true);
    expect(told).toEqual([`added ${id}`, `removed ${id}`, `added ${id}`]);
  });

  it('begins nothing that it cannot save, and says why', () => {
    mkdirSync(path.join(dir, 'sources.json.new'));
    expect(() => api.add(csds)).toThrow(
      expect.objectContaining({
        name: ApiError.name,
        status: 507,
        detail: expect.stringContaining('EISDIR'),
      }),
    );
    expect(registry.list()).toEqual([]);
  });

  const refused: [string, object, string, string][] = [
    [
      'a kind that is none',
      { kind: 'dns', target: 'a:1' },
      'kind',
      'expected one of csds, ads, envoy-admin, istiod, got "dns"',
    ],
    ['no target', { kind: 'ads' }, 'target', 'expected host:port, got nothing'],
    ['a target with a path', { kind: 'csds', target: 'a:1/x' }, 'target', 'paths have no place here'],
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
    [
      'a certificate that is not absolute',
      { kind: 'csds', target: 'a:1', settings: { tls: { caCertificateFile: 'ca.pem' } } },
      'settings.tls.caCertificateFile',
      'expected an absolute path, got "ca.pem"',
    ],
    [
      'a key without its certificate',
      { kind: 'ads', target: 'a:1', settings: { tls: { privateKeyFile: '/k' } } },
      'settings.tls.certificateFile',
      'expected a file beside privateKeyFile, got nothing',
    ],
    [
      'the manner of a CSDS source',
      { kind: 'csds', target: 'a:1', settings: { manner: 'observe' } },
      'settings.manner',
      'expected tls alone for a CSDS source',
    ],
    [
      'a target beside a bootstrap',
      { kind: 'ads', target: 'a:1', bootstrap: { xds_servers: [insecureServer] } },
      'target',
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
      'a bootstrap that would send a token to a server of its own choice',
      { kind: 'ads', bootstrap: { xds_servers: [serverWithToken] } },
      'bootstrap',
      'call_creds: expected none here',
    ],
    [
      'a listener of another type',
      { kind: 'ads', target: 'a:1', settings: { listeners: ['a', 'xdstp://x/y/z'] } },
      'settings.listeners.1',
      'expected the type envoy.config.listener.v3.Listener in the resource name',
    ],
    ['a field that is unknown', { kind: 'ads', target: 'a:1', tls: true }, 'body', 'Unrecognized key'],
  ];
  for (const [what, input, field, message] of refused) {
    it(`refuses ${what}, and names the field`, () => {
      expect(() => api.add(input)).toThrow(
        expect.objectContaining({ status: 400, field, detail: expect.stringContaining(message) }),
      );
      expect(saved.read().sources).toEqual([]);
    });
  }

  it('starts a source as it was told, and again so after a restart', () => {
    const settings = { transport: 'delta-ads', manner: 'as-client', profile: 'go', listeners: ['shop'] };
    const source = api.add({ kind: 'ads', target: '127.0.0.1:1', label: 'shop', settings });
    expect(source).toMatchObject({
      id: 'ads:127.0.0.1:1?transport=delta-ads',
      label: 'shop',
      security: 'plain',
      settings: { ...settings, nodeId: 'xdscope-probe@127.0.0.1:1?transport=delta-ads' },
    });
    const [before] = started;
    const [kept] = saved.read().sources;
    if (kept === undefined) throw new Error('nothing was saved');
    expect(setUpSavedSource(kept)).toMatchObject({ id: source.id, setup: before });
  });

  it('keeps of a bootstrap what it uses, and no secret of other credentials', () => {
    const secret = { type: 'magic', config: { password: 'hunter2' } };
    const bootstrap = {
      xds_servers: [{ ...insecureServer, channel_creds: [secret, ...insecureServer.channel_creds] }],
      node: { id: 'me' },
      authorities: { mesh: {} },
      certificate_providers: { p: { plugin_name: 'other', config: { token: 'hunter2' } } },
      unknown: 'hunter2',
    };
    const source = api.add({ kind: 'ads', bootstrap: JSON.stringify(bootstrap) });
    expect(source).toMatchObject({
      id: 'ads:a.example:1',
      target: 'a.example:1',
      settings: { nodeId: 'me', authorities: [{ name: 'mesh', servers: ['a.example:1'] }] },
    });
    expect(readFileSync(path.join(dir, 'sources.json'), 'utf8')).not.toContain('hunter2');
    const [kept] = saved.read().sources;
    expect(kept && setUpSavedSource(kept)).toMatchObject({ id: source.id, setup: started[0] });
  });

  it('reads what an earlier version saved', () => {
    const old = { sources: [{ ...csds, label: 'x', paused: true }] };
    writeFileSync(path.join(dir, 'sources.json'), JSON.stringify(old));
    expect(saved.read()).toEqual({ ...old, pausedIds: [] });
  });

  it('says which of the saved sources cannot be read', () => {
    const odd = { sources: [{ kind: 'ads', target: 'x', label: 'x', paused: false }] };
    writeFileSync(path.join(dir, 'sources.json'), JSON.stringify(odd));
    expect(() => saved.read()).toThrow(/sources\.0\.target: expected host:port, got "x"/);
  });

  it('asks one target in two manners, and keeps both ids when a manner changes', async () => {
    const ads = { kind: 'ads', target: '127.0.0.1:1' };
    const plain = api.add(ads);
    const settings = { manner: 'as-client', profile: 'java' };
    const other = api.add({ ...ads, settings });
    expect([plain.id, other.id]).toEqual([
      'ads:127.0.0.1:1',
      'ads:127.0.0.1:1?manner=as-client&profile=java',
    ]);
    expect(() => api.add({ ...ads, settings })).toThrow(expect.objectContaining({ status: 409 }));
    expect(() => api.add(ads)).toThrow(expect.objectContaining({ status: 409 }));
    const changing = api.change(other.id, { manner: 'observe' });
    for (const resolve of closing) resolve();
    expect(await changing).toMatchObject({ id: other.id, settings: { manner: 'observe' } });
    // As after a restart.
    expect(saved.read().sources.map((each) => setUpSavedSource(each).id)).toEqual([plain.id, other.id]);
    expect(started.map((setup) => setup.kind === 'ads' && setup.node.id)).toEqual([
      'xdscope-probe@127.0.0.1:1',
      `xdscope-probe@${other.id.slice(4)}`,
      `xdscope-probe@${other.id.slice(4)}`,
    ]);
  });

  it('changes the manner of a source under its id, and keeps it', async () => {
    const { id } = api.add({ kind: 'ads', target: '127.0.0.1:1', settings: { listeners: ['shop'] } });
    const changing = api.change(id, { manner: 'as-client', profile: 'java' });
    for (const resolve of closing) resolve();
    expect(await changing).toMatchObject({
      id,
      settings: { manner: 'as-client', profile: 'java', listeners: ['shop'] },
    });
    expect(started.at(-1)).toMatchObject({ settings: { manner: 'as-client', profile: 'java' } });
    expect(saved.read().sources).toMatchObject([{ settings: { manner: 'as-client', profile: 'java' } }]);
  });

  it('changes no manner of what was not added in the browser, or has none', async () => {
    const { id } = api.add(csds);
    await expect(api.change(id, { manner: 'observe' })).rejects.toMatchObject({ status: 409 });
    await expect(api.change(id, {})).rejects.toMatchObject({
      status: 400,
      detail: expect.stringContaining('expected paused, manner, profile or errorModel'),
    });
  });
});
