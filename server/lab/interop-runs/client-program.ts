import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { InteropCase } from '@/lib/interop/interop-case';
import { builtProgram } from '../../project-root';
import { labClientVersion } from '../lab-client-version';

/** A client of the interop tests that is started as a child process. */
export interface ClientProgram {
  readonly name: string;
  readonly version: string;
  /** The command and its first arguments; those of the case follow. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Why it cannot be started. Absent: it can. */
  readonly unavailable?: string;
  /** With the flag `--twin` it is the client of a twin (server/lab/twin/find-twin-clients.ts). */
  readonly isTwin?: true;
}

/** A program that is an xDS-enabled server with the flags `--serve_as=NAME --port=PORT`. It prints SERVING when it serves. */
export type ServerProgram = ClientProgram;

/** The arguments of the test description. Upstream's programs differ in others, which Configure sets instead. */
export function argumentsOf(
  { client = {}, isSecure }: Pick<InteropCase, 'client' | 'isSecure'>,
  statsPort: number,
): string[] {
  const { target = 'xds:///svc', qps = usualQps, types = ['UNARY_CALL'], metadata = [] } = client;
  const entries = metadata.map(({ type, key, value }) => `${methods[type]}:${key}:${value}`);
  return [
    `--server=${target}`,
    `--stats_port=${statsPort}`,
    `--qps=${qps}`,
    `--rpc=${types.map((type) => methods[type]).join(',')}`,
    ...(entries.length === 0 ? [] : [`--metadata=${entries.join(',')}`]),
    ...(isSecure ? ['--secure_mode=true'] : []),
  ];
}

export const usualQps = 100;
const methods = { EMPTY_CALL: 'EmptyCall', UNARY_CALL: 'UnaryCall' } as const;

/** The client of the lab, which is part of xdscope. */
export function labClient(): ClientProgram {
  return labProgram('test-client');
}

/** The xDS-enabled server of the lab, which is part of xdscope. */
export function labServer(): ServerProgram {
  return { ...labProgram('test-server'), environment: { GRPC_XDS_EXPERIMENTAL_RBAC: 'true' } };
}

/** The client of a twin, which may have the config of a large client. */
export function labTwinClient(): ClientProgram {
  return labProgram('twin-client', 400);
}

function labProgram(name: 'test-client' | 'test-server' | 'twin-client', mostMemoryMib = 256): ClientProgram {
  return {
    ...{ name: 'grpc-js', version: labClientVersion() },
    command: [process.execPath, `--max-old-space-size=${mostMemoryMib}`, builtProgram(name)],
  };
}

/**
 * A program of a user, which need not watch its standard input. Linux kills it when xdscope ends, however that ends, if setpriv of
 * util-linux is installed; otherwise a program that does not watch its standard input stays when xdscope is killed.
 * `cwd`: the folder to which the path of the program is relative.
 */
export function ownProgram(program: ClientProgram, cwd = process.cwd()): ClientProgram {
  const [command = '', ...args] = program.command;
  const file = findExecutable(command, cwd);
  if (file === undefined) {
    const place = command.includes(path.sep)
      ? path.resolve(cwd, command)
      : `${command} in a folder of the PATH`;
    return {
      ...program,
      unavailable: `expected a program that this user may execute at ${place}, found none`,
    };
  }
  const setpriv = process.platform === 'linux' ? findExecutable('setpriv', cwd) : undefined;
  const ends = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'SIGKILL', '--'];
  return { ...program, command: [...ends, file, ...args] };
}

/** A path is relative to `cwd`; a name is that of a file in a folder of the PATH. */
function findExecutable(command: string, cwd: string): string | undefined {
  const folders = command.includes(path.sep) ? [cwd] : (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.resolve(folder, command)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // There is no such file, or this user may not execute it.
    return false;
  }
}

/** Starts the program without the user's own gRPC settings. It ends when its standard input does. The caller reads its output. */
export function startProgram(
  { command: [file = '', ...args], environment = {} }: ClientProgram,
  options: {
    readonly args: readonly string[];
    readonly bootstrap: string;
    readonly environment: Readonly<Record<string, string>>;
  },
): ChildProcess {
  const inherited = ['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR', 'JAVA_HOME', 'LD_LIBRARY_PATH'];
  const known = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return spawn(file, [...args, ...options.args], {
    env: {
      NODE_ENV: 'production',
      ...Object.fromEntries(known),
      ...environment,
      ...options.environment,
      GRPC_XDS_BOOTSTRAP_CONFIG: options.bootstrap,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
