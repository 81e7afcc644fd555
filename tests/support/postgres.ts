import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from './free-port';
import { waitUntil } from './wait-until';

/** Debian has the programs of each version in a folder of its own. */
const versionsFolder = '/usr/lib/postgresql';
const oldestVersion = 14;

export interface PostgresServer {
  /** The process id of the postmaster. */
  readonly pid: number;
  /** Creates an empty database. */
  createDatabase(): Promise<string>;
  /** Ends it by SIGKILL; its files remain. */
  kill(): Promise<void>;
  /** Starts it again on the same port after kill(). */
  restart(): Promise<void>;
  /** Ends it, and deletes its files. */
  stop(): Promise<void>;
}

/** Returns the folder of PostgreSQL's programs, or undefined if none of version 14 or newer is installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(versionsFolder) ? readdirSync(versionsFolder).map(Number) : [];
  const found = versions
    .filter((version) => version >= oldestVersion)
    .sort((a, b) => b - a)
    .map((version) => path.join(versionsFolder, String(version), 'bin'));
  return found.find((folder) => existsSync(path.join(folder, 'initdb')));
}

/**
 * Runs a server and ends it by its pid, with its open connections, when the standard input is closed: also after this
 * process was ended by a signal.
 */
const endsWithParent = 'exec 3<&0; "$@" & server=$!; (read -r end <&3; kill -INT $server) & wait $server';

interface ServerOptions {
  /** By default, commits do not wait for the disk: tests that end the server by a signal lose nothing by that. */
  readonly isDurable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a new server on a free port of 127.0.0.1, as the user postgres if this process is root's. */
export async function startPostgres({
  isDurable = false,
  settings = {},
}: ServerOptions = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error(`expected PostgreSQL in ${versionsFolder}, found none`);
  const folder = mkdtempSync(path.join(process.env.XDSCOPE_TEST_FOLDER ?? tmpdir(), 'postgres-'));
  chmodSync(folder, 0o700);
  const owner = process.getuid?.() === 0 ? findUser('postgres') : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const made = spawnSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb ended with ${made.status}: ${made.stderr}`);
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  const command = [
    path.join(programs, 'postgres'),
    ...['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
  ];
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const launch = () => launchServer(command, { owner, folder, url: urlOf('postgres') });
  let server = await launch();
  let databases = 0;
  const readPid = () => Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  return {
    get pid() {
      return readPid();
    },
    async createDatabase() {
      const name = `test_${++databases}`;
      await query(urlOf('postgres'), `create database ${name}`);
      return urlOf(name);
    },
    async kill() {
      process.kill(readPid(), 'SIGKILL');
      await ended(server);
    },
    async restart() {
      server = await launch();
    },
    async stop() {
      await ended(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Launch {
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  readonly folder: string;
  readonly url: string;
}

/** Starts the server. After a SIGKILL it can take some attempts, until the processes of the server before have ended. */
async function launchServer(
  command: readonly string[],
  { owner, folder, url }: Launch,
): Promise<ChildProcess> {
  let server: ChildProcess | undefined;
  let output = '';
  await waitUntil('PostgreSQL accepts connections', async () => {
    if (server === undefined || server.exitCode !== null) {
      const isRetry = output.includes('is still in use') || output.includes('already exists');
      if (server !== undefined && !isRetry)
        throw new Error(`postgres ended with ${server.exitCode}: ${output}`);
      output = '';
      server = spawn('/bin/sh', ['-c', endsWithParent, 'sh', ...command], {
        ...owner,
        cwd: folder,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      server.stderr?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-4_000);
      });
    }
    await query(url, 'select 1');
    return true;
  });
  if (server === undefined) throw new Error('expected a server');
  return server;
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
}

function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.stdin?.end();
  });
}

function findUser(name: string): { readonly uid: number; readonly gid: number } {
  const idOf = (option: string) => Number(spawnSync('id', [option, name], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}
