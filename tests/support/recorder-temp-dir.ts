import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';

/** A new empty directory, which is removed after the test. */
export function tempDataDir(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-recorder-'));
  dirs.push(dir);
  return dir;
}

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
