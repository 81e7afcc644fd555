import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NewSource } from '@/lib/views/sources/schema';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { setAllowedTargets } from '@/server/transport/targets/dial-policy';
import { waitUntil } from '@/tests/support/wait-until';

let dataDir: string;
let runtime: Runtime;
/** The ports with a connection. */
let connected: Set<number>;
const servers: Server[] = [];

async function listen(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    connected.add(socket.localPort ?? 0);
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

let named: number;
let listed: number;
let tapPort: number;
let upstream: number;

beforeAll(async () => {
  connected = new Set();
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-dial-'));
  [named, listed, upstream, tapPort] = [await listen(), await listen(), await listen(), await listen()];
  // The tap listens on this port.
  await new Promise((resolve) => servers.pop()?.close(resolve));
  const list = path.join(dataDir, 'targets.txt');
  writeFileSync(list, `127.0.0.1:${listed}\n`);
  const argv = [
    ...['--allow-target', '10.9.0.0/16', '--data-dir', dataDir, '--csds', `127.0.0.1:${named}`],
    ...['--csds-file', list, '--tap', `127.0.0.1:${tapPort}=127.0.0.1:${upstream}`],
  ];
  runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
});
afterAll(async () => {
  await runtime.close();
  setAllowedTargets([]);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(dataDir, { recursive: true, force: true });
});

it('dials the targets of flags, of their lists and of taps, whatever --allow-target lists', async () => {
  await waitUntil('the targets of flags are dialled', () => connected.has(named) && connected.has(listed));
  const tap = connect(tapPort, '127.0.0.1');
  tap.on('error', () => tap.destroy());
  await waitUntil('the upstream of the tap is dialled', () => connected.has(upstream));
  tap.destroy();
});

const addSource = (body: NewSource) => runtime.api.runCommand('POST sources', { params: {}, body });
const findSource = (id: string) => runtime.api.ask('sources/{id}', {}, { params: { id } });

const kinds: [string, (target: string) => NewSource][] = [
  ['CSDS', (target) => ({ kind: 'csds', target })],
  ['an Envoy', (target) => ({ kind: 'envoy-admin', target })],
  ['an istiod', (target) => ({ kind: 'istiod', target })],
  ...(['ads', 'delta-ads', 'sotw', 'delta', 'rest'] as const).map(
    (transport): [string, (target: string) => NewSource] => [
      `ADS by ${transport}`,
      (target) => ({ kind: 'ads', target, settings: { transport } }),
    ],
  ),
  [
    'ADS by a bootstrap',
    (target) => ({
      kind: 'ads',
      bootstrap: {
        xds_servers: [
          { server_uri: target, channel_creds: [{ type: 'insecure' }] },
          { server_uri: `dns:///${target}`, channel_creds: [{ type: 'insecure' }] },
        ],
      },
    }),
  ],
];

it.each(kinds)('%s that is added by API is dialled only if it is listed', async (_what, sourceAt) => {
  const port = await listen();
  const { id } = await addSource(sourceAt(`127.0.0.1:${port}`));
  const source = await waitUntil('the source is down', async () => {
    const now = await findSource(id);
    return now.state === 'down' && now;
  });
  expect(source.problem).toEqual({
    code: 'TARGET_NOT_ALLOWED',
    message: `127.0.0.1:${port}: expected an address that may be dialled, got 127.0.0.1: it is not among the targets that --allow-target lists`,
    hint: 'To allow it, start xdscope with --allow-target 127.0.0.1, or list it in allowTargets of the config file.',
  });
  await runtime.api.runCommand('DELETE sources/{id}', { params: { id } });
  expect(connected.has(port)).toBe(false);
});

it('the addresses of a name are checked', async () => {
  const port = await listen();
  const { id } = await addSource({ kind: 'csds', target: `localhost:${port}` });
  const source = await waitUntil('the source is down', async () => {
    const now = await findSource(id);
    return now.state === 'down' && now;
  });
  expect(source.problem).toMatchObject({
    code: 'TARGET_NOT_ALLOWED',
    hint: expect.stringContaining('--allow-target localhost,'),
  });
  expect(connected.has(port)).toBe(false);
});

it('fallback servers are dialled by the same rules', async () => {
  const [first, second] = [await listen(), await listen()];
  const { id } = await addSource({
    kind: 'ads',
    target: `127.0.0.1:${first}`,
    settings: { fallbackServers: [`127.0.0.1:${second}`] },
  });
  await waitUntil('both were tried', async () => (await findSource(id)).failures >= 2);
  expect([connected.has(first), connected.has(second)]).toEqual([false, false]);
});
