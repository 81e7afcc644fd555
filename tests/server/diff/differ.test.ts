import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Differ } from '@/server/diff/differ';
import { waitUntil } from '../../support/wait-until';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-differ-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('Differ', () => {
  it('has its thread started before anything is compared, when told that something will be', async () => {
    const started = path.join(folder, 'started');
    const program = path.join(folder, 'worker.mjs');
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'; import { parentPort } from 'node:worker_threads';
      writeFileSync(${JSON.stringify(started)}, ''); parentPort.on('message', () => undefined);`,
    );
    const recorder = { readBodies: async () => new Map() };
    const differ = new Differ({ recorder, workerProgram: program });
    expect(existsSync(started)).toBe(false);
    differ.prepare();
    await waitUntil('it is started', () => existsSync(started));
    await differ.close();
  });
});
