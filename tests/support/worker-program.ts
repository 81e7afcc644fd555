import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-worker-'));
let programs = 0;
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Path of a worker program with this source, in which `parentPort`, `workerData` and `threadId` are imported. */
export function workerProgram(source: string): string {
  const file = path.join(dir, `${++programs}.mjs`);
  writeFileSync(file, `import { parentPort, threadId, workerData } from 'node:worker_threads';\n${source}`);
  return file;
}
