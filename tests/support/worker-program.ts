import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The test files of a process share this folder, and the end of the test run removes it. */
const dir = mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'worker-'));
let programs = 0;

const imports = `import { parentPort, threadId, workerData } from 'node:worker_threads';\n`;

/** Returns the path of a worker program with this source, after imports of node:worker_threads unless `isWhole`. */
export function workerProgram(source: string, { isWhole = false } = {}): string {
  const file = path.join(dir, `${++programs}.mjs`);
  writeFileSync(file, isWhole ? source : `${imports}${source}`);
  return file;
}
