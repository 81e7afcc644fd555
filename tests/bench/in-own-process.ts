import { spawnSync } from 'node:child_process';

const flag = '--child=';

/** The task of a child process; undefined in the main process. A forked process ends with its parent. */
export function childTask(): string | undefined {
  if (process.connected) process.once('disconnect', () => process.exit());
  return process.argv.find((each) => each.startsWith(flag))?.slice(flag.length);
}

/** Runs a task in a new process of this program, so that its peak memory is measured alone. The last line is the result. */
export function inOwnProcess<T>(task: string, ...args: readonly string[]): T {
  const program = process.argv[1] ?? '';
  const { status, stdout } = spawnSync(
    process.execPath,
    [...process.execArgv, program, `${flag}${task}`, ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (status !== 0) throw new Error(`bench: ${task} ended with ${status}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}

export function answer(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** The peak resident memory of this process. */
export function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}
