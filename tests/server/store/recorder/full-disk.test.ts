import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { bundleSupportProgram } from '@/tests/support/recorder-bundle';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

// A limit on file sizes replaces the full disk: SQLite's writes fail in the same way, and it can be lifted.
it.skipIf(!hasPrlimit)(
  'recording stops while the disk is full, and continues by itself (needs prlimit)',
  async () => {
    const program = bundleSupportProgram('recorder-full-disk-child');
    const dataDir = tempDataDir();
    const child = spawn(
      'sh',
      ['-c', 'ulimit -S -f 2000; exec "$@"', 'sh', process.execPath, program, dataDir],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const closed = once(child, 'close');
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(JSON.parse(line));
      if (lines.length === 1) spawnSync('prlimit', ['--pid', `${child.pid}`, '--fsize=unlimited']);
    }
    expect(await closed).toEqual([0, null]);
    const [stopped, resumed, end] = lines;
    expect(stopped).toEqual({
      state: 'stopped',
      reason: expect.stringMatching(/^the disk .*\(SQLITE_(FULL|IOERR).*\)$/),
    });
    expect(resumed).toEqual({ state: 'recording', reason: '' });
    expect(end).toMatchObject({ missed: 0, acked: end?.appended, observations: end?.appended });

    const recorder = await openWholeRecorder({ dataDir });
    expect(recorder.stats().observations).toBe(end?.appended);
    await recorder.close();
  },
  60_000,
);
