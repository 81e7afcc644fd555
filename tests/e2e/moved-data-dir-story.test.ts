import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ProblemDetails } from '@/lib/views/fields/problem';
import type { Health } from '@/lib/views/health/schema';
import { openStorage } from '@/server/compose/open-storage';
import { readConfig } from '@/server/config/read-config';
import { systemClock } from '@/server/observe';
import { openContext } from '../support/e2e-browser';
import { getJson, type RunningServer, sendJson, startServer } from '../support/e2e-server';
import { tempDataDir } from '../support/recorder-temp-dir';
import { waitUntil } from '../support/wait-until';

const cluster = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const row = { typeUrl: cluster, name: 'cart', versionInfo: '1', clientStatus: 'ACKED' };
const answer = {
  config: [
    {
      node: { id: 'moved-story' },
      genericXdsConfigs: [{ ...row, xdsConfig: { '@type': cluster, name: 'cart' } }],
    },
  ],
};

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGKILL');
});

async function start(dataDir: string): Promise<RunningServer> {
  const server = await startServer(['--no-lab', '--data-dir', dataDir]);
  running.push(server);
  return server;
}

const healthOf = (server: RunningServer) => getJson<Health>(`${server.url}/api/v1/health`);
const post = (server: RunningServer, what: string, body: unknown) =>
  sendJson('POST', `${server.url}/api/v1/${what}`, body);

/** A server with one imported client. */
async function begin() {
  const dataDir = path.join(tempDataDir(), 'data');
  const server = await start(dataDir);
  expect((await post(server, 'imports?name=answer.json', answer)).status).toBe(201);
  const { items } = await getJson<{ items: { id: string }[] }>(`${server.url}/api/v1/clients`);
  const clientId = items[0]?.id ?? '';
  return { dataDir, server, clientId };
}

/** Requests that are answered with 201 if they are stored. */
const changes = (clientId: string): readonly (readonly [string, unknown])[] => [
  ['permalinks', { clientId }],
  ['permalinks', { clientId, view: { tab: 'history' } }],
  ['pins', { from: 1_767_225_600_000, to: 1_767_312_000_000, label: 'x' }],
  ['sources', { kind: 'csds', target: '127.0.0.1:25999' }],
  ['imports?name=again.json&again=true', answer],
];

interface Move {
  readonly what: string;
  readonly move: (dataDir: string) => void;
  readonly reason: RegExp;
}

const moves: readonly Move[] = [
  {
    what: 'the data dir was deleted',
    move: (dir) => rmSync(dir, { recursive: true }),
    reason: /\/data was deleted or moved while xdscope uses it: put it back, or restart xdscope/,
  },
  {
    what: 'the data dir was renamed',
    move: (dir) => renameSync(dir, `${dir}.old`),
    reason: /\/data was deleted or moved/,
  },
  {
    what: 'the data dir was replaced',
    move(dir) {
      rmSync(dir, { recursive: true });
      mkdirSync(dir);
    },
    reason: /\/data was replaced by another one/,
  },
  {
    what: 'the recording was deleted',
    move: (dir) => rmSync(path.join(dir, 'recording.sqlite')),
    reason: /\/data\/recording\.sqlite was deleted or moved/,
  },
  {
    what: 'its write-ahead log was deleted',
    move: (dir) => rmSync(path.join(dir, 'recording.sqlite-wal')),
    reason: /\/data\/recording\.sqlite-wal was deleted or moved/,
  },
  {
    what: 'the lock was deleted',
    move: (dir) => rmSync(path.join(dir, 'recorder.lock')),
    reason: /\/data\/recorder\.lock was deleted or moved/,
  },
];

describe('a data dir that is moved while xdscope runs', () => {
  it.each(moves)('is noticed when something is to be stored: $what', async ({ move, reason }) => {
    const dataDir = path.join(tempDataDir(), 'data');
    const config = readConfig({
      argv: ['--no-lab', '--data-dir', dataDir],
      ...{ env: {}, cwd: process.cwd(), version: '0' },
    });
    const { recorder, close } = await openStorage(config, systemClock, () => undefined);
    await recorder.confirmInPlace();
    move(dataDir);
    await expect(recorder.confirmInPlace()).rejects.toThrow(reason);
    await Promise.allSettled([close()]);
  });

  it('stops recording: nothing is acknowledged, every page states it, and recording continues when it is put back', async () => {
    const { dataDir, server, clientId } = await begin();
    const isIn = (state: Health['recorder']['state']) =>
      waitUntil(`the recorder is ${state}`, async () => {
        const health = await healthOf(server);
        return health.recorder.state === state && health;
      });
    const before = (await (await post(server, 'permalinks', { clientId })).json()) as { id: string };
    expect((await healthOf(server)).status).toBe('ok');
    const context = await openContext({});
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(server.url);
    await page.getByRole('main').waitFor();
    expect(await page.getByText('Recording has stopped').count()).toBe(0);

    // 1. Requests fail before the periodic check has run.
    const reason = /\/data was deleted or moved while xdscope uses it: put it back, or restart xdscope/;
    renameSync(dataDir, `${dataDir}.old`);
    for (const [what, body] of changes(clientId)) {
      const response = await post(server, what, body);
      expect(response.status, what).toBe(507);
      expect(((await response.json()) as ProblemDetails).detail).toMatch(reason);
    }
    const set = await fetch(`${server.url}/api/v1/descriptor-sets?name=x`, {
      ...{ method: 'POST', body: new Uint8Array([1]) },
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(set.status).toBe(507);
    const health = await healthOf(server);
    expect(health).toMatchObject({ status: 'degraded', recorder: { state: 'stopped' } });
    expect(health.recorder.reason).toMatch(reason);
    // No file was created in another directory at the same path.
    expect(existsSync(dataDir)).toBe(false);
    // The recording can still be read.
    const client = `clients/${encodeURIComponent(clientId)}/resources`;
    const resources = await getJson<{ items: unknown[] }>(`${server.url}/api/v1/${client}`);
    expect(resources.items).toHaveLength(1);
    renameSync(`${dataDir}.old`, dataDir);
    await isIn('recording');

    // 2. The periodic check notices it without a request.
    renameSync(dataDir, `${dataDir}.old`);
    expect((await isIn('stopped')).recorder.reason).toMatch(reason);
    expect(server.output()).toMatch(/^xdscope: recorder stopped: .*data was deleted or moved/m);
    for (const each of ['', client, `p/${before.id}`]) {
      await page.goto(`${server.url}/${each}`);
      const banner = page.getByRole('status').filter({ hasText: 'Recording has stopped' });
      await banner.getByText('was deleted or moved while xdscope uses it: put it back').waitFor();
    }
    renameSync(`${dataDir}.old`, dataDir);
    await isIn('recording');
    const made = await post(server, 'permalinks', { clientId });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    expect(await server.stop()).toBe(0);
    const again = await start(dataDir);
    expect((await fetch(`${again.url}/api/v1/permalinks/${id}`)).status).toBe(200);

    // 3. Health states that load is not recorded when its file was deleted.
    rmSync(path.join(dataDir, 'load.sqlite'));
    const withoutLoad = await waitUntil('it is noticed', async () => {
      const found = await healthOf(again);
      return found.load.problem !== '' && found;
    });
    expect(withoutLoad.status).toBe('degraded');
    expect(withoutLoad.load.problem).toMatch(
      /\/data\/load\.sqlite was deleted or moved while xdscope uses it/,
    );
  });
});
