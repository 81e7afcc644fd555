import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new empty directory, which the end of the test run removes. */
export function tempDataDir(): string {
  return mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'recorder-'));
}
