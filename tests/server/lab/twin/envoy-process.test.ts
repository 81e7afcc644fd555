import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EnvoyProcess } from '@/server/lab/twin/envoy-process';
import { ManualClock } from '../../../support/recorder-manual-clock';

const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-envoy-process-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A program that states its process id, and ends by SIGKILL only. */
function writeStubborn(): string {
  const command = path.join(dir, 'stubborn');
  writeFileSync(command, '#!/bin/sh\ntrap "" TERM\necho "$$"\nwhile true; do sleep 1; done\n');
  chmodSync(command, 0o755);
  return command;
}

it('ends the process at once when the proof is aborted, and gives it time otherwise', {
  timeout: 20_000,
}, async () => {
  const clock = new ManualClock();
  const command = writeStubborn();
  for (const isAborted of [true, false]) {
    const child = await EnvoyProcess.start(command, () => ({}), clock);
    await child.whenLines(1, () => true, new AbortController().signal);
    const stopped = child.stop({ isAborted });
    if (!isAborted) {
      expect(process.kill(Number(child.lines[0]), 0)).toBe(true);
      clock.advance(2_000);
    }
    // The clock stands still: this resolves only if the process was ended by a signal that it cannot ignore.
    await stopped;
  }
  expect(clock.waiting).toBe(0);
});
