import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientSupervisor, findCrashReason } from '@/server/lab/clients/client-supervisor';
import { patienceMs } from '@/tests/support/patience';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

const crash = "console.log('serving'); console.error('TypeError: no'); process.exitCode = 3";
/** Real processes on a machine that may be busy. */
const soon = { timeout: patienceMs(60_000), interval: 20 };
const stay = "console.log('serving'); setInterval(() => {}, 1000)";

describe('ClientSupervisor', () => {
  let supervisor: ClientSupervisor;
  afterEach(() => supervisor.close());

  function supervise(script: string) {
    const clock = new ManualClock();
    const reported: [string, string][] = [];
    let launches = 0;
    supervisor = new ClientSupervisor({
      name: 'c',
      clock,
      launch: () => {
        launches += 1;
        return spawn(process.execPath, ['-e', script]);
      },
      emitEvent: (what, text) => reported.push([what, text]),
      onChange: () => undefined,
    });
    supervisor.start();
    return { clock, reported, launches: () => launches };
  }

  it('reports a crash with exit code and reason, and restarts with a back-off that doubles', async () => {
    const { clock, reported, launches } = supervise(crash);
    for (const backoffMs of [1000, 2000, 4000]) {
      const before = launches();
      await expect.poll(() => supervisor.state, soon).toBe('crashed');
      expect(reported.at(-1)).toEqual(['client-crashed', 'c ended unasked, exit code 3: TypeError: no']);
      clock.advance(backoffMs - 1);
      expect(launches()).toBe(before);
      clock.advance(1);
      expect(launches()).toBe(before + 1);
    }
    await expect.poll(() => supervisor.state, soon).toBe('crashed');
    expect(reported.map(([what]) => what).slice(0, 3)).toEqual([
      'client-crashed',
      'client-restarted',
      'client-crashed',
    ]);
    expect(supervisor.restarts).toBe(3);
  });

  it('reports the signal that ended the process', async () => {
    const { reported } = supervise(stay);
    await supervisor.firstServed;
    process.kill(supervisor.pid ?? 0, 'SIGKILL');
    await expect.poll(() => reported, soon).toEqual([['client-crashed', 'c ended unasked, signal SIGKILL']]);
  });

  it('reports nothing when the process is closed', async () => {
    const { reported } = supervise(stay);
    await supervisor.firstServed;
    await supervisor.close();
    expect(supervisor.state).toBe('stopped');
    expect(reported).toEqual([]);
  });
});

describe('findCrashReason', () => {
  it.each([
    ['nothing', '', ''],
    [
      'a Node stack',
      'x.js:1\nSyntaxError: Invalid regular expression: /^[$/u\n    at new RE2 (re2.js:189:19)\n\nNode.js v20.20.2\n',
      'SyntaxError: Invalid regular expression: /^[$/u',
    ],
    [
      'a Python traceback',
      'Traceback (most recent call last):\n  File "c.py", line 3\nModuleNotFoundError: No module named \'grpc\'\n',
      "ModuleNotFoundError: No module named 'grpc'",
    ],
    ['no error line', 'Killed by the kernel\n', 'Killed by the kernel'],
  ])('finds it in %s', (_, stderr, expected) => {
    expect(findCrashReason(stderr)).toBe(expected);
  });
});
