import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

const patienceMs = 120_000;

/** Every child of this process that runs. They end with it. */
const running = new Map<ChildProcess, (signal: NodeJS.Signals) => void>();
process.once('exit', () => {
  for (const kill of running.values()) kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export interface Child {
  readonly pid: number;
  /** Undefined while it runs; then why it ended. */
  ended(): string | undefined;
  /** The words after `words` of the first line that begins with them. Rejects if the process ends before, or after two minutes. */
  line(words: string): Promise<string[]>;
  onLine(listener: (line: string) => void): void;
  write(line: string): void;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly cwd?: string;
  /** The program starts others, which end with it. */
  readonly isGroup?: boolean;
}

/** Starts a program with an environment of its own. Its output goes to `logFile`, and stdout also to the listeners. */
export function startChild(
  command: string,
  args: readonly string[],
  { env = {}, logFile, cwd, isGroup = false }: ChildOptions,
): Child {
  const { PATH, HOME, LANG } = process.env;
  const child = spawn(command, args, {
    env: { NODE_ENV: 'production', PATH, HOME, LANG, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
    detached: isGroup,
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (isGroup && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  };
  running.set(child, kill);
  const log = createWriteStream(logFile);
  child.stderr.pipe(log, { end: false });
  let end: string | undefined;
  const ends = new Set<(error: Error) => void>();
  const finish = (reason: string): void => {
    running.delete(child);
    end = reason;
    for (const reject of ends) reject(new Error(`${command} ended (${reason}), see ${logFile}`));
  };
  child.once('error', (error) => finish(error.message));
  child.once('exit', (code, signal) => finish(signal ?? `exit code ${code}`));
  // A write after the end of the process fails.
  child.stdin.on('error', () => {});
  const lines = createInterface(child.stdout);
  const listeners = new Set<(line: string) => void>();
  lines.on('line', (line) => {
    log.write(`${line}\n`);
    for (const listener of listeners) listener(line);
  });
  return {
    pid: child.pid ?? 0,
    ended: () => end,
    line: (expected) =>
      new Promise((resolve, reject) => {
        ends.add(reject);
        const late = new Error(`${command} has written no line "${expected}", see ${logFile}`);
        const timer = setTimeout(() => reject(late), patienceMs).unref();
        const listener = (line: string): void => {
          if (line !== expected && !line.startsWith(`${expected} `)) return;
          listeners.delete(listener);
          ends.delete(reject);
          clearTimeout(timer);
          resolve(line.slice(expected.length + 1).split(' '));
        };
        listeners.add(listener);
      }),
    onLine: (listener) => void listeners.add(listener),
    write: (line) => void child.stdin.write(`${line}\n`),
    async stop(signal = 'SIGKILL') {
      if (end !== undefined) return;
      const exit = once(child, 'exit');
      kill(signal);
      await exit;
    },
  };
}
