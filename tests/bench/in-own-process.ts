import { spawnSync } from 'node:child_process';

const flag = '--child=';

/** What this process was started to do by another; undefined in the process that prints. One that was forked ends with who forked it. */
export function childTask(): string | undefined {
  if (process.connected) process.once('disconnect', () => process.exit());
  return process.argv.find((each) => each.startsWith(flag))?.slice(flag.length);
}

/** Runs this very program once more, for one task alone: so its peak memory is its own. Its last line is its answer. */
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

/** The most that this process ever had in memory at once. */
export function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}
