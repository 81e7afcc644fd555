import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** The server as `npm start` begins it, in a process of its own. */
export interface BenchServer {
  readonly pid: number;
  readonly origin: string;
  /** SIGTERM; resolves when the process has ended. */
  end(): Promise<void>;
  /** At once, if it still runs. */
  kill(): void;
}

/** Does not wait until the server answers. Throws when the pages are not built. */
export async function spawnServer(args: readonly string[]): Promise<BenchServer> {
  if (!existsSync('.next/BUILD_ID')) throw new Error('bench: expected the pages: node server/build.mjs');
  const port = await freePort();
  const [command, ...words] = startWords();
  const child = spawn(command, [...words, '.build/main.mjs', ...args, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('bench: the server did not start');
  const exited = once(child, 'exit');
  return {
    pid,
    origin: `http://127.0.0.1:${port}`,
    async end() {
      child.kill('SIGTERM');
      await exited;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** What malloc and V8 are reported by `npm start`: "exec env NAME=VALUE... node FLAGS... server/start.mjs". */
function startWords(): [string, ...string[]] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [, command = 'node', ...words] = scripts.start.split(' ').slice(0, -1);
  return [command, ...words];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('bench: expected a port');
  return address.port;
}
