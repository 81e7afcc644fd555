import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';

const slow = 120_000;

function tempDir(): string {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-interop-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function start(dataDir: string, flags: readonly string[] = []): Promise<Runtime> {
  const argv = ['--no-lab', '--data-dir', dataDir, ...flags];
  return startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
}

const startRuns = ({ api }: Runtime, client: string, cases: string[]) =>
  api.runCommand('POST interop/runs', { params: {}, body: { client, cases } });

it('records the steps of a run at the client that sources report, and keeps the run over a restart', {
  timeout: slow,
}, async () => {
  const dataDir = tempDir();
  const runtime = await start(dataDir);
  const { api } = runtime;
  const { items: started } = await startRuns(runtime, 'grpc-js', ['gentle_failover']);
  const [{ id }] = started as [(typeof started)[number]];
  await expect(startRuns(runtime, 'grpc-js', ['ping_pong'])).rejects.toMatchObject({ status: 409 });

  const run = await vi.waitFor(
    async () => {
      const found = await api.ask('interop/runs/{id}', {}, { params: { id } });
      expect(found.state).toBe('ended');
      return found;
    },
    { timeout: slow, interval: 200 },
  );
  expect(run).toMatchObject({ verdict: 'works', reason: '', nacks: 0 });
  expect(run.steps.map(({ outcome }) => outcome)).toEqual(Array(6).fill('holds'));

  const { clientId = '' } = run;
  const history = await api.ask('history', { client: clientId, limit: 200 }, { params: {} });
  const of = (kind: string) => history.items.filter((event) => event.kind === kind);
  expect(of('interop-step')).toHaveLength(6);
  expect(
    of('interop-step')
      .map(({ text }) => text)
      .join('\n'),
  ).toMatch(/gentle_failover 6\/6: .*the case works/);
  const vantages = new Set(history.items.map(({ vantage }) => vantage));
  // On a busy machine the run can end before its channels and statistics are polled.
  expect([...vantages]).toEqual(expect.arrayContaining(['csds', 'lab', 'tap']));
  expect(['channelz', 'csds', 'interop', 'lab', 'tap']).toEqual(expect.arrayContaining([...vantages]));
  // The sources of the run have ended with it: none of them is down.
  expect((await api.ask('sources', {}, { params: {} })).items).toEqual([]);
  // The client has ended, and its run is exported all the same.
  const range = { client: clientId, from: String(run.startedAt), to: String(run.endedAt) };
  const { observations, sizeBytes } = await api.ask('export/estimate', range, { params: {} });
  expect(observations).toBeGreaterThan(20);
  expect(sizeBytes).toBeLessThan(100_000);
  await expect(
    api.ask('export/estimate', { ...range, client: 'other' }, { params: {} }),
  ).rejects.toMatchObject({ status: 404 });
  await runtime.close();

  const again = await start(dataDir);
  onTestFinished(() => again.close());
  const { items, clients, cases } = await again.api.ask('interop/runs', {}, { params: {} });
  expect(items).toMatchObject([{ id, case: 'gentle_failover', verdict: 'works', clientId }]);
  expect(clients[0]).toMatchObject({ name: 'grpc-js' });
  expect(cases.length).toBeGreaterThan(20);
  const { cells } = await again.api.ask('interop/matrix', {}, { params: {} });
  expect(cells.find((cell) => cell.case === 'gentle_failover')).toMatchObject({ verdict: 'works', runs: 1 });
  expect(cells.find((cell) => cell.case === 'gentle_failover')?.shippedAt).toBeUndefined();
  // A case that was not run here has the result that ships with xdscope, whose steps can be read.
  const pingPong = cells.find((cell) => cell.case === 'ping_pong');
  expect(pingPong).toMatchObject({ verdict: 'works', runs: 1, shippedAt: expect.any(Number) });
  const shipped = await again.api.ask('interop/runs/{id}', {}, { params: { id: pingPong?.runId ?? '' } });
  expect(shipped).toMatchObject({ case: 'ping_pong', isShipped: true, startedAt: pingPong?.shippedAt });
  expect(shipped.steps[0]?.served?.length).toBeGreaterThan(0);
});

it('runs neither programs nor cases that were not there when xdscope started', async () => {
  const dataDir = tempDir();
  const own = { name: 'grpc-cpp', version: '1.85.1', command: ['/opt/interop/client'] };
  const file = path.join(dataDir, 'config.json');
  writeFileSync(file, JSON.stringify({ interopClients: [own] }));
  const runtime = await start(dataDir, ['--config', file]);
  onTestFinished(() => runtime.close());
  const { clients } = await runtime.api.ask('interop/runs', {}, { params: {} });
  const missing = 'expected a program that this user may execute at /opt/interop/client, found none';
  expect(clients).toContainEqual({ name: 'grpc-cpp', version: '1.85.1', unavailable: missing });
  await expect(startRuns(runtime, 'grpc-cpp', ['ping_pong'])).rejects.toMatchObject({
    ...{ status: 409, detail: `client grpc-cpp: ${missing}` },
  });
  await expect(startRuns(runtime, '/bin/sh', ['ping_pong'])).rejects.toMatchObject({
    ...{
      status: 400,
      field: 'client',
      detail: expect.stringMatching(/^client: expected one of grpc-js@.*got "\/bin\/sh"$/),
    },
  });
  await expect(startRuns(runtime, 'grpc-js', ['../x'])).rejects.toMatchObject({
    status: 400,
    field: 'cases',
  });
  await expect(runtime.api.ask('interop/runs/{id}', {}, { params: { id: 'x' } })).rejects.toMatchObject({
    status: 404,
  });
});

it('ends a run that is under way when it is closed', { timeout: slow }, async () => {
  const runtime = await start(tempDir());
  await startRuns(runtime, 'grpc-js', ['ping_pong', 'round_robin']);
  await vi.waitFor(
    async () => {
      const { items } = await runtime.api.ask('interop/runs', {}, { params: {} });
      expect(items.map(({ state }) => state)).toContain('running');
    },
    { timeout: slow, interval: 20 },
  );
  await expect(runtime.close()).resolves.toBeUndefined();
});
