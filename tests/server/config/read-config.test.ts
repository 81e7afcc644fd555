import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseIntervalMs } from '@/server/collect/source-kind/values';
import { readConfig } from '@/server/config/read-config';
import { HelpRequested } from '@/server/config/read-flags';
import { ConfigError } from '@/server/config-error';
import { sourcesOf } from '@/tests/support/config-sources';

const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-config-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function read(argv: string[], env: Record<string, string> = {}) {
  return readConfig({
    argv,
    env,
    cwd: dir,
    version: '0.0.0',
  });
}

function bootstrapText(nodeId: string): string {
  const server = { server_uri: '127.0.0.1:15010', channel_creds: [{ type: 'insecure' }] };
  return JSON.stringify({ xds_servers: [server], node: { id: nodeId } });
}

describe('readConfig()', () => {
  it('runs the embedded lab on 127.0.0.1:3000 by default', () => {
    expect(read([])).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      lab: true,
      backgroundFaults: true,
      sources: [],
    });
  });

  it('does not run the lab if a source is named, unless it is requested', () => {
    expect(read(['--csds', '127.0.0.1:1']).lab).toBe(false);
    expect(read(['--csds', '127.0.0.1:1', '--lab']).lab).toBe(true);
    expect(read(['--no-lab']).lab).toBe(false);
    expect(read(['--lrs-listen', '127.0.0.1:0']).lab).toBe(false);
  });

  it('reads the allowed dial targets from flag, environment and file', () => {
    expect(read([]).allowTargets).toEqual([]);
    const flags = ['--allow-target', '10.0.0.0/8', '--allow-target', '*.svc.cluster.local'];
    expect(read(flags).allowTargets).toEqual(['10.0.0.0/8', '*.svc.cluster.local']);
    expect(read([], { XDSCOPE_ALLOW_TARGET: 'fd00::/8, a.example' }).allowTargets).toEqual([
      'fd00::/8',
      'a.example',
    ]);
    const file = path.join(dir, 'allow.yaml');
    writeFileSync(file, 'allowTargets: ["10.0.0.7"]');
    expect(read(['--config', file]).allowTargets).toEqual(['10.0.0.7']);
    expect(() => read(['--allow-target', '10.0.0.0/33'])).toThrow(
      new ConfigError('flags: allowTargets.0: expected a CIDR or a host name, got "10.0.0.0/33"'),
    );
  });

  it('limits clients, in total and of one source, by flag, environment or file', () => {
    expect(read([]).clientLimits).toEqual({ total: 100_000, perSource: 50_000 });
    expect(read(['--max-clients', '20'], { XDSCOPE_MAX_CLIENTS_PER_SOURCE: '10' }).clientLimits).toEqual({
      total: 20,
      perSource: 10,
    });
  });

  it('limits permalinks, by flag, environment or file', () => {
    expect(read([]).maxPermalinks).toBe(10_000);
    expect(read(['--max-permalinks', '20']).maxPermalinks).toBe(20);
    expect(read([], { XDSCOPE_MAX_PERMALINKS: '30' }).maxPermalinks).toBe(30);
  });

  it('replays a file, or the resources of one of its clients at a moment', () => {
    const file = path.join(dir, 'a@b.xdscope');
    const loopback = { host: '127.0.0.1', port: 0 };
    expect(read(['--replay', 'x.xdscope']).replay).toEqual({
      ...{ file: path.join(dir, 'x.xdscope'), ...loopback, nodeId: null, at: null },
    });
    const flags = ['--replay-client', 'shop-web', '--replay-at', '2026-11-21T12:04:07+01:00'];
    expect(read(['--replay', `${file}@127.0.0.1:18001`, ...flags]).replay).toEqual({
      ...{ file, ...loopback, port: 18_001, nodeId: 'shop-web', at: Date.UTC(2026, 10, 21, 11, 4, 7) },
    });
  });

  it('rejects a client or moment without a file to replay, and an invalid moment', () => {
    expect(() => read(['--replay-client', 'shop-web'])).toThrow(
      new ConfigError('--replay-client: expected --replay beside it, got none'),
    );
    expect(() => read(['--replay-at', '2026-11-21T11:04:07Z'])).toThrow(
      new ConfigError('--replay-at: expected --replay beside it, got none'),
    );
    expect(() => read([], { XDSCOPE_REPLAY_CLIENT: 'shop-web' })).toThrow(
      '--replay-client: expected --replay beside it, got none',
    );
    for (const text of ['yesterday', '2026-11-21', '2026-11-21T11:04:07', '2026-13-21T11:04:07Z']) {
      expect(() => read(['--replay', 'x.xdscope', '--replay-at', text])).toThrow(
        new ConfigError(
          `--replay-at: expected a time as in 2026-11-21T11:04:07Z, got ${JSON.stringify(text)}`,
        ),
      );
    }
    expect(() => read(['--replay', 'x.xdscope@18001'])).toThrow(/^--replay: expected /);
  });

  it('accepts several CSDS targets', () => {
    const config = read(['--csds', 'a.example:1', '--csds', '[::1]:2']);
    expect(sourcesOf(config, 'csds').map((c) => c.target)).toEqual(['a.example:1', '[::1]:2']);
  });

  it('prefers a flag over the environment, and the environment over the file', () => {
    const file = path.join(dir, 'x.yaml');
    writeFileSync(
      file,
      'port: 1001\nhost: 10.0.0.1\ndataDir: fromfile\ncsds: [{target: "a.example:1", label: cart}]\n',
    );
    const config = read(['--config', file, '--port', '3003'], {
      XDSCOPE_PORT: '2002',
      XDSCOPE_HOST: '10.0.0.2',
      XDSCOPE_INSECURE_NO_AUTH: 'yes',
    });
    expect(config).toMatchObject({ port: 3003, host: '10.0.0.2', dataDir: path.join(dir, 'fromfile') });
    expect(sourcesOf(config, 'csds')).toMatchObject([
      { target: 'a.example:1', label: 'cart', origin: 'config' },
    ]);
  });

  it('reads the bootstrap variables of gRPC clients only if no source is named', () => {
    const inline = bootstrapText('inline');
    writeFileSync(path.join(dir, 'b.json'), bootstrapText('b.json'));
    writeFileSync(path.join(dir, 'mine.json'), bootstrapText('mine.json'));
    expect(sourcesOf(read([], { GRPC_XDS_BOOTSTRAP_CONFIG: inline }), 'ads')).toMatchObject([
      { target: '127.0.0.1:15010', setup: { node: { id: 'inline' } }, origin: 'environment' },
    ]);
    expect(
      sourcesOf(read([], { GRPC_XDS_BOOTSTRAP: 'b.json', GRPC_XDS_BOOTSTRAP_CONFIG: inline }), 'ads'),
    ).toMatchObject([{ setup: { node: { id: 'b.json' } } }]);
    expect(sourcesOf(read(['--csds', 'a.example:1'], { GRPC_XDS_BOOTSTRAP_CONFIG: inline }), 'ads')).toEqual(
      [],
    );
    expect(sourcesOf(read(['--bootstrap', 'mine.json']), 'ads')).toMatchObject([
      { setup: { node: { id: 'mine.json' } }, origin: 'flag' },
    ]);
  });

  const rejected: [string, string[], Record<string, string>, RegExp][] = [
    ['an unknown flag', ['--cdss', 'a:1'], {}, /--cdss/],
    ['a target without port', ['--csds', 'a.example'], {}, /--csds: expected host:port, got "a\.example"/],
    ['a target with a scheme', ['--ads', 'dns:///a.example:1'], {}, /--ads: expected host:port/],
    [
      'one target twice',
      ['--csds', 'a.example:1', '--csds', 'a.example:1'],
      {},
      /^--csds: expected each target once, got/,
    ],
    [
      'one target twice in the same way',
      ['--ads', 'a.example:1', '--ads', 'a.example:1'],
      {},
      /^--ads: expected each target once by one transport, API version, mode and node, got a.example:1 twice/,
    ],
    ['a port that is none', ['--port', 'eighty'], {}, /port: .*"eighty"/],
    [
      'a port out of range',
      ['--port', '70000'],
      {},
      /port: expected a whole number of 0 to 65535, got "70000"/,
    ],
    ['a port of no text', ['--port', ''], {}, /port: expected a whole number .* got ""/],
    ['half a port', ['--port', '80.5'], {}, /port: expected a whole number .* got "80.5"/],
    [
      'an empty host, which would be every address',
      ['--host', ''],
      {},
      /host: expected a non-empty string, got ""/,
    ],
    ['an empty data dir', ['--data-dir', ''], {}, /dataDir: expected a non-empty string, got ""/],
    ['no client at all', ['--max-clients', '0'], {}, /maxClients: expected a whole number above 0, got "0"/],
    [
      'half a client of a source',
      [],
      { XDSCOPE_MAX_CLIENTS_PER_SOURCE: '1.5' },
      /maxClientsPerSource: expected a whole number above 0, got "1.5"/,
    ],
    [
      'a retention of nothing',
      [],
      { XDSCOPE_RETENTION_DAYS: '0' },
      /retentionDays: expected a number above 0/,
    ],
    [
      'a variable that is no switch',
      [],
      { XDSCOPE_LAB: 'maybe' },
      /XDSCOPE_LAB: expected 1 or 0, got "maybe"/,
    ],
    ['a file that is not there', ['--config', 'none.yaml'], {}, /--config: expected a readable file/],
    [
      'an interval without sense',
      ['--csds-interval', 'soon'],
      {},
      /--csds-interval: expected 100ms to 60m, got "soon"/,
    ],
    ['a stray word', ['status'], {}, /too many arguments/],
    [
      'a broken bootstrap',
      [],
      { GRPC_XDS_BOOTSTRAP_CONFIG: '{}' },
      /GRPC_XDS_BOOTSTRAP_CONFIG: xds_servers: expected a list/,
    ],
  ];
  it.each(rejected)('rejects %s in one line', (_what, argv, env, message) => {
    const start = () => read(argv, env);
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(message);
    expect(start).toThrow(/^.*$/);
  });

  it('rejects a file with an unknown setting, naming the known ones', () => {
    const file = path.join(dir, 'odd.yaml');
    writeFileSync(file, 'cdss: []\n');
    expect(() => read(['--config', file])).toThrow(/expected one of csds, .* got "cdss"/);
  });

  const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('');
  it.each([
    [
      'a setting twice',
      'port: 1\nport: 2\n',
      /expected YAML or JSON \(Map keys must be unique at line 2, column 1/,
    ],
    ['100,001 settings', keys(100_001), /: expected at most 100000 members in an object, got 100001$/],
    ['100,000 settings', keys(100_000), /expected one of csds, .* got "k0"/],
    [
      'items without end',
      `csds:\n${'- a\n'.repeat(150_000)}`,
      /: expected at most 150000 members in a document, got 150001$/,
    ],
    ['501 levels', `csds: ${'['.repeat(501)}`, /: expected at most 500 levels of nesting, got at least 501$/],
    ['two documents', 'port: 1\n---\nport: 2\n', /expected one document of YAML, got 2$/],
    ['a tag', 'port: !!js/function 1\n', /expected YAML without tags, got tag:yaml/],
  ])('rejects a file with %s', (_what, content, message) => {
    const file = path.join(dir, 'limits.yaml');
    writeFileSync(file, content);
    expect(() => read(['--config', file])).toThrow(message);
  });

  const odd: [string, string, RegExp][] = [
    ['a switch as port', 'port: true', /port: expected a whole number of 0 to 65535, got true/],
    ['nothing as port', 'port: null', /port: expected a whole number of 0 to 65535, got null/],
    [
      'a number as target',
      'csds: [1]',
      /csds\.0: expected host:port, or a mapping with target and label, got 1/,
    ],
    [
      'an unknown setting of a target',
      'ads: [{target: "a:1", labl: x}]',
      /ads\.0: expected settings that are known, got "labl"/,
    ],
  ];
  it.each(odd)('rejects a file with %s', (_what, content, message) => {
    const file = path.join(dir, 'odd-value.yaml');
    writeFileSync(file, content);
    expect(() => read(['--config', file])).toThrow(message);
  });

  it('prints help instead of starting', () => {
    expect(() => read(['--help'])).toThrow(HelpRequested);
  });
});

describe('parseIntervalMs()', () => {
  it('reads milliseconds, seconds and minutes', () => {
    const read = [250, '1.5s', '500ms', '2m'].map((stated) => parseIntervalMs(stated, '--csds-interval'));
    expect(read).toEqual([250, 1_500, 500, 120_000]);
  });
});
