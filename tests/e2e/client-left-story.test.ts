import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Health } from '@/lib/api/schema';
import { getJson, type RunningServer, startServer, usedCpuMs } from '../support/e2e-server';
import { freePort } from '../support/grpc-peers';
import { lrsClient } from '../support/lrs-client';
import { waitUntil } from '../support/wait-until';

const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-client-left-'));
const [messages, clusters] = [120, 400];
let server: RunningServer;

beforeAll(async () => {
  const lrs = `127.0.0.1:${await freePort()}`;
  server = await startServer(['--data-dir', dataDir, '--lrs-listen', lrs]);
  const client = lrsClient(lrs);
  client.send({ node: { id: 'shop-web' } });
  for (let message = 0; message < messages; message++) {
    const clusterStats = Array.from({ length: clusters }, (_, index) => ({
      clusterName: `cluster-${index}`,
      loadReportInterval: { seconds: 1 },
      upstreamLocalityStats: [
        { locality: { zone: `zone-${message % 5}` }, totalSuccessfulRequests: 3 + message },
      ],
    }));
    client.send({ clusterStats });
  }
  await waitUntil(
    'all reports are recorded',
    async () => {
      const { load } = await getJson<Health>(`${server.url}/api/v1/health`);
      return load.reports === messages * clusters;
    },
    90_000,
  );
  client.end();
  await idle();
}, 120_000);
afterAll(async () => {
  await server.stop('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Resolves when the process has used less than a fifth of a core for 250 ms. */
async function idle(): Promise<void> {
  let sample = { at: Date.now(), cpu: usedCpuMs(server) };
  await waitUntil('the process is idle', () => {
    const now = { at: Date.now(), cpu: usedCpuMs(server) };
    if (now.at - sample.at < 250) return false;
    const share = (now.cpu - sample.cpu) / (now.at - sample.at);
    sample = now;
    return share < 0.2;
  });
}

it('exports stop when their clients disconnect', async () => {
  const url = `${server.url}/api/v1/export?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z`;
  let before = usedCpuMs(server);
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  const whole = usedCpuMs(server) - before;
  await idle();

  before = usedCpuMs(server);
  const controller = new AbortController();
  const asked = Array.from({ length: 20 }, () => fetch(url, { signal: controller.signal }));
  const left = asked.map((each) => each.then((response) => response.arrayBuffer()).catch(() => undefined));
  await waitUntil('they are served', () => usedCpuMs(server) - before >= 50);
  controller.abort();
  expect((await Promise.all(left)).filter((answer) => answer === undefined).length).toBeGreaterThan(15);
  await idle();
  const used = usedCpuMs(server) - before;
  process.stdout.write(`one export used ${whole} ms of a core; 20 whose clients left used ${used} ms\n`);
  expect(used).toBeLessThan(whole * 6);
}, 60_000);
