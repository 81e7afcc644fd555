import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { health } from '@/lib/views/health/schema';
import { getJson, startServer } from '../support/e2e-server';
import { waitUntil } from '../support/wait-until';

afterEach(() => vi.unstubAllEnvs());

/** Rejects a promise that nothing handles when the process gets SIGUSR2. */
const reject = `
  import { isMainThread } from 'node:worker_threads';
  const pem = '-----BEGIN PRIVATE KEY-----\\\\nMIIB\\\\n-----END PRIVATE KEY-----';
  if (isMainThread) process.on('SIGUSR2', () => Promise.reject(new TypeError('broken at ' + pem)));
`;

it('an error that nothing handled is in the health, and the process ends cleanly, also when nobody reads what it prints', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-unhandled-'));
  vi.stubEnv('NODE_OPTIONS', `--import=data:text/javascript,${encodeURIComponent(reject)}`);
  const server = await startServer(['--data-dir', dataDir, '--lrs-listen', '127.0.0.1:0']);
  const read = async () => health.parse(await getJson(`${server.url}/api/v1/health`));
  try {
    const before = await read();
    expect(before).toMatchObject({ status: 'ok', unhandledRejections: { count: 0 } });
    server.process.kill('SIGUSR2');
    const { status, unhandledRejections } = await waitUntil('it is counted', async () => {
      const after = await read();
      return after.unhandledRejections.count > 0 && after;
    });
    expect(status).toBe('degraded');
    expect(unhandledRejections).toMatchObject({
      count: 1,
      lastMessage: expect.stringMatching(/^TypeError: broken at /),
    });
    expect(unhandledRejections.lastMessage).not.toContain('MIIB');
    expect(unhandledRejections.lastAt).toBeGreaterThanOrEqual(before.startedAt);
    server.process.stdout?.destroy();
    server.process.stderr?.destroy();
    expect(await server.stop('SIGTERM')).toBe(0);
  } finally {
    server.process.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
});
