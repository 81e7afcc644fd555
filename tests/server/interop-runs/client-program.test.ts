import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { argumentsOf, endWithParent } from '@/server/interop-runs/client-program';
import { waitUntil } from '../../support/wait-until';

it('states the flags of the test description, and secure mode only for a case that needs it', () => {
  expect(argumentsOf({}, 8_081)).toEqual([
    ...['--server=xds:///svc', '--stats_port=8081', '--qps=100', '--rpc=UnaryCall'],
  ]);
  expect(argumentsOf({ isSecure: true }, 8_081)).toContain('--secure_mode=true');
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

it.runIf(existsSync('/usr/bin/setpriv'))(
  'a program that does not watch its standard input ends when its parent is killed',
  async () => {
    const sleeper = { name: 'sleeper', version: '1', command: ['sleep', '600'] };
    const [file = '', ...args] = endWithParent(sleeper).command;
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { stdio: ['pipe', 'ignore', 'pipe'] });
      child.once('spawn', () => console.log(child.pid));
      setInterval(() => undefined, 1000);
    `;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed));
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await waitUntil('the program has ended', async () => !isRunning(pid) || undefined);
  },
);
