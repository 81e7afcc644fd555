import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';

/** A server process like that of `npm start`, on a free port. */
export interface RunningServer {
  /** The URL without the token. */
  readonly url: string;
  /** The URL that the server printed, with the token if it has one. */
  readonly printedUrl: string;
  readonly process: ChildProcess;
  /** Returns its stdout and stderr so far. */
  output(): string;
  /** Stops it and resolves with its exit code; null if the signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The token of each server that has one, by its URL. */
const tokens = new Map<string, string>();

/**
 * Resolves when the server has printed its URL; rejects with its output if it ends before. It has no token unless
 * `args` contain tokenFlag. `under`: see spawnServer().
 */
export async function startServer(
  args: readonly string[],
  under: readonly string[] = [],
): Promise<RunningServer> {
  const child = spawnServer(args, under);
  let printed = '';
  const printedUrl = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      const said = /xdscope: (http:\/\/\S+)/.exec(printed)?.[1];
      if (said !== undefined) resolve(said);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
  const { origin: url, searchParams } = new URL(printedUrl);
  const token = searchParams.get('token');
  if (token !== null) tokens.set(url, token);
  return {
    url,
    printedUrl,
    process: child,
    output: () => printed,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** The stderr and the exit code of a server that is expected to end by itself. `under`: see spawnServer(). */
export async function endOfServer(
  args: readonly string[],
  under: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const child = spawnServer(args, under);
  child.stdout.resume();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const [code] = await once(child, 'close');
  return { code, errors };
}

/** Starts the server with a token, as `npm start` does. */
export const tokenFlag = '--with-token';

interface ProcessSettings {
  readonly env: NodeJS.ProcessEnv;
  readonly flags: readonly string[];
}

/** `npm start` starts the process of the server with these settings. */
const { processSettings }: { readonly processSettings: ProcessSettings } = await import(
  path.join(projectRoot, 'server/process-settings.mjs')
);

/** `under`: a command that sets up the process and runs the rest of its arguments: "prlimit --fsize=0". */
function spawnServer(args: readonly string[], under: readonly string[]) {
  const main = path.join(projectRoot, '.build', 'main.mjs');
  const [command = '', ...words] = [...under, process.execPath, ...processSettings.flags, main];
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const access = args.includes(tokenFlag) ? [] : ['--no-token'];
  const given = args.filter((arg) => arg !== tokenFlag);
  return spawn(command, [...words, ...given, ...port, ...access], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...withoutSources(process.env),
      ...processSettings.env,
      XDSCOPE_ENVOY: 'off',
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
    },
  });
}

/** The environment of the machine must not add sources. */
function withoutSources(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:XDSCOPE_|GRPC_XDS_)/.test(name)),
  ) as NodeJS.ProcessEnv;
}

/** CPU time of the server's process, ms: utime and stime of /proc/PID/stat, in ticks of 10 ms. */
export function usedCpuMs(server: RunningServer): number {
  const stat = readFileSync(`/proc/${server.process.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The header with the token of the server, as programs send it; none if the server has no token. */
export function tokenHeaders(url: string): Record<string, string> {
  const token = tokens.get(new URL(url).origin);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** fetch() with the token of the server. */
export async function fetchApi(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(tokenHeaders(url));
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  return fetch(url, { ...init, headers });
}

export async function getJson<T>(url: string): Promise<T> {
  const response = await fetchApi(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export async function sendJson(method: string, url: string, body: unknown): Promise<Response> {
  return fetchApi(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
