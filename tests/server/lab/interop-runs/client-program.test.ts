import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { argumentsOf, ownProgram } from '@/server/lab/interop-runs/client-program';
import { waitUntil } from '../../../support/wait-until';

it('states the flags of the test description, and secure mode only for a case that needs it', () => {
  expect(argumentsOf({}, 8_081)).toEqual([
    ...['--server=xds:///svc', '--stats_port=8081', '--qps=100', '--rpc=UnaryCall'],
  ]);
  expect(argumentsOf({ isSecure: true }, 8_081)).toContain('--secure_mode=true');
});

it('finds a program by its path or in the PATH, and states where there is none that can be started', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-programs-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'client');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 });
  const own = (command: string) => ownProgram({ name: 'own', version: '1', command: [command, '--x'] }, dir);
  const noneAt = (place: string) => `expected a program that this user may execute at ${place}, found none`;

  expect(own('./client').unavailable).toBe(noneAt(file));
  expect(own('./missing').unavailable).toBe(noneAt(path.join(dir, 'missing')));
  expect(own(`${dir}/`).unavailable).toBe(noneAt(dir));
  expect(own('no-such-client').unavailable).toBe(noneAt('no-such-client in a folder of the PATH'));
  expect(own('sleep').unavailable).toBeUndefined();
  chmodSync(file, 0o755);
  expect(own('./client').unavailable).toBeUndefined();
  expect(own('./client').command.slice(-2)).toEqual([file, '--x']);
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

it.runIf(existsSync('/usr/bin/setpriv'))(
  'a program that does not watch its standard input ends when its parent is killed',
  async () => {
    const sleeper = { name: 'sleeper', version: '1', command: ['sleep', '600'] };
    const [file = '', ...args] = ownProgram(sleeper).command;
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { stdio: ['pipe', 'ignore', 'pipe'] });
      child.once('spawn', () => console.log(child.pid));
      setInterval(() => undefined, 1000);
    `;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed));
    // Before that, setpriv itself runs, which has not asked for the signal yet.
    await waitUntil('setpriv has started the program', async () => commandOf(pid) === 'sleep' || undefined);
    parent.kill('SIGKILL');
    await waitUntil('the program has ended', async () => !isRunning(pid) || undefined);
  },
);
