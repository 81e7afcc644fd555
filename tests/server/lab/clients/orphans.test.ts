import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPython } from '@/server/lab/python-client/find-python';
import { builtProgram, projectRoot } from '@/server/project-root';

const program = JSON.stringify({ adminPort: 0, calls: [] });
const script = path.join(projectRoot, 'server/lab/python-client/xds_client.py');

/** A parent that starts the client, reports its pid, and then is killed the hard way. */
async function orphan(code: string): Promise<number> {
  const parent = spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000)`]);
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (text) => resolve(Number(text)));
  });
  parent.kill('SIGKILL');
  return pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a client whose parent is killed with -9', () => {
  it('ends, too: grpc-js', async () => {
    const args = [builtProgram('lab-client'), [program]].map((each) => JSON.stringify(each)).join(', ');
    const pid = await orphan(
      `const c = require('child_process').fork(${args}, {stdio: ['ignore', 'ignore', 'ignore', 'ipc']});
       c.once('message', () => console.log(c.pid))`,
    );
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('ends, too: Python', async ({ skip }) => {
    const python = await findPython();
    if (python.kind === 'absent') return skip(`no Python 3 with grpcio: ${python.reason}`);
    const args = [python.command, [script, program]].map((each) => JSON.stringify(each)).join(', ');
    const pid = await orphan(
      `const c = require('child_process').spawn(${args}); c.stdout.once('data', () => console.log(c.pid))`,
    );
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
