import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Envoy does not end when its parent does. This shell ends it when the pipe to the parent breaks, even after kill -9.
 */
const script = `
exec 3<&0
"$@" 3<&- &
envoy=$!
trap 'kill "$envoy"' TERM
{ cat <&3; kill "$envoy"; } >/dev/null 2>&1 &
wait "$envoy"
code=$?
trap - TERM
wait "$envoy" 2>/dev/null
exit "$code"
`;

interface SpawnOptions {
  readonly stdout: 'pipe' | 'ignore';
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The shell and Envoy are a process group, which a signal to the negative process id reaches. */
  readonly hasOwnGroup?: boolean;
}

/** Starts an Envoy that ends with this process. Its standard error is a pipe. */
export function spawnEnvoy(
  command: string,
  args: readonly string[],
  { stdout, cwd, env, hasOwnGroup = false }: SpawnOptions,
): ChildProcess {
  return spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
    stdio: ['pipe', stdout, 'pipe'],
    detached: hasOwnGroup,
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
  });
}
