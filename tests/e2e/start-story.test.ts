import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { tempDataDir } from '../support/recorder-temp-dir';

/** `npm start` itself: the process that starts the server in a process of its own. */
interface Started {
  readonly launcher: ChildProcess;
  output(): string;
  /** The process of the server. */
  serverPid(): number;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function start(args: readonly string[]): Started {
  const launcher = spawn(process.execPath, [path.join(projectRoot, 'server/start.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDSCOPE_ENVOY: 'off' },
  });
  running.push(launcher);
  let printed = '';
  for (const stream of [launcher.stdout, launcher.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
  return {
    launcher,
    output: () => printed,
    serverPid: () => {
      const children = readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, 'utf8');
      return Number(children.trim().split(' ')[0]);
    },
  };
}

async function startServing(): Promise<Started> {
  const started = start(['--port', '0', '--data-dir', tempDataDir()]);
  await vi.waitFor(() => expect(started.output()).toMatch(/xdscope: http:/), { timeout: 120_000 });
  return started;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('ends with the exit code of the server', async () => {
  const { launcher, output } = start(['--no-such-option']);
  const [code] = await once(launcher, 'close');
  expect(output()).toContain('--no-such-option');
  expect(code).toBe(2);
});

it('starts the server with the settings of malloc and V8', async () => {
  const { serverPid } = await startServing();
  const pid = serverPid();
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain('MALLOC_ARENA_MAX=1');
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain('--expose-gc');
});

it('keeps idle connections longer than the proxies in front of it, and so receives a POST that follows a pause', async () => {
  const { output } = await startServing();
  const { port } = new URL(/http:\S+/.exec(output())?.[0] ?? '');
  const agent = new Agent({ keepAlive: true });
  const requestStatus = async (method: string): Promise<unknown> => {
    const sent = request({ agent, port, method, path: '/api/v1/sources' }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode, isReused: sent.reusedSocket };
  };
  expect(await requestStatus('GET')).toEqual({ status: 401, isReused: false });
  // Node reads what arrived in the meantime, and runs its timers, after this process is free again.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_000);
  expect(await requestStatus('POST')).toEqual({ status: 401, isReused: true });
  agent.destroy();
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'passes %s on, and ends when the server has closed',
  async (signal) => {
    const { launcher, output, serverPid } = await startServing();
    const pid = serverPid();
    launcher.kill(signal);
    const [code] = await once(launcher, 'close');
    expect(code).toBe(0);
    expect(output()).toContain(`xdscope: ${signal}, closing`);
    expect(isRunning(pid)).toBe(false);
  },
);

it('ends when npm is ended: the shell of npm is replaced, so that npm signals this process', async () => {
  const npm = spawn('npm', ['start', '--', '--port', '0', '--data-dir', tempDataDir()], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, XDSCOPE_ENVOY: 'off' },
  });
  running.push(npm);
  let printed = '';
  npm.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  await vi.waitFor(() => expect(printed).toMatch(/xdscope: http:/), { timeout: 120_000 });
  npm.kill('SIGTERM');
  // The pipe closes when no process has it any longer.
  await once(npm.stdout, 'close');
  expect(printed).toContain('closing');
});

it('leaves no server when it is killed', async () => {
  const { launcher, output, serverPid } = await startServing();
  const pid = serverPid();
  launcher.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 60_000 });
  expect(output()).toContain('closing');
});
