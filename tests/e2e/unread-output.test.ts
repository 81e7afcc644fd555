import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startServer } from '../support/e2e-server';

it('ends cleanly on SIGTERM when nobody is left who reads what it prints', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-unread-'));
  // An LRS listener alone: no lab to wait for.
  const server = await startServer(['--data-dir', dataDir, '--lrs-listen', '127.0.0.1:0']);
  try {
    server.process.stdout?.destroy();
    server.process.stderr?.destroy();
    expect(await server.stop('SIGTERM')).toBe(0);
  } finally {
    server.process.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
});
