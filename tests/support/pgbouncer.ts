import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port';
import { waitUntil } from './wait-until';

const program = '/usr/sbin/pgbouncer';

export const hasPgBouncer = existsSync(program);

/** Starts PgBouncer in transaction mode before the server of `url`. */
export async function startPgBouncer(url: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { hostname, port: serverPort, pathname, username } = new URL(url);
  const folder = mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'pgbouncer-'));
  // It does not run as root, and its user must be able to read its files.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const database = pathname.slice(1);
  writeFileSync(path.join(folder, 'users.txt'), `"${username}" ""\n`);
  const settings = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    [
      '[databases]',
      `${database} = host=${hostname} port=${serverPort} dbname=${database} user=${username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
    ].join('\n'),
  );
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const bouncer = spawn(program, [...asUser, settings], { stdio: 'ignore' });
  await waitUntil('PgBouncer accepts connections', () => canConnect(port));
  return {
    url: `postgres://${username}@127.0.0.1:${port}/${database}`,
    async stop() {
      const ended = once(bouncer, 'exit');
      bouncer.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
