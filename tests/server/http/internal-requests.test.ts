import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { rejectInternalRequests, serveRequest } from '@/server/http/internal-requests';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-internal-requests-'));
let runtime: Runtime;

beforeAll(async () => {
  const argv = ['--no-lab', '--data-dir', dataDir];
  runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
});
afterAll(async () => {
  await runtime.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The status of an operation that is run while the server serves `target`. */
async function statusWithin(target: string, operation: string): Promise<number> {
  const api = rejectInternalRequests(runtime.api);
  const request = new Request(`http://127.0.0.1${operation}`);
  return (await serveRequest({ url: target }, () => api.answerRequest(request))).status;
}

describe('an operation', () => {
  it('is run for the request that passed the gate', async () => {
    expect(await statusWithin('/api/v1/health', '/api/v1/health')).toBe(200);
    expect(await statusWithin('/x/../api/v1/history?limit=1', '/api/v1/history?limit=1')).toBe(200);
  });

  it.each(['/_next/image?url=%2Fapi%2Fv1%2Fexport%231&w=640&q=75', '/clients', '/api/v1/health'])(
    'is not run for a request that Next creates while it serves %s',
    async (target) => {
      expect(await statusWithin(target, '/api/v1/export')).toBe(404);
    },
  );

  it('is not run outside of any request', async () => {
    const api = rejectInternalRequests(runtime.api);
    expect((await api.answerRequest(new Request('http://127.0.0.1/api/v1/health'))).status).toBe(404);
    await expect(api.getMetrics()).rejects.toThrow('expected a request of a client');
  });
});

it('the metrics are read for a request of /metrics alone', async () => {
  const api = rejectInternalRequests(runtime.api);
  expect(await serveRequest({ url: '/metrics' }, () => api.getMetrics())).toContain('xdscope_');
  await expect(
    serveRequest({ url: '/_next/image?url=%2Fmetrics' }, () => api.getMetrics()),
  ).rejects.toThrow();
});
