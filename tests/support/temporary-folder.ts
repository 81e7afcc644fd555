import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Vitest ends its processes by a signal, so that they cannot remove their files: the run has a folder for all. */
export default function makeTemporaryFolder(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-tests-'));
  // Some stories open a part of it as another user.
  chmodSync(folder, 0o755);
  process.env.XDSCOPE_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
