import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Clock } from '../../observe';
import { spawnEnvoy } from '../envoy-binary/spawn-envoy';
import { mostTwinBytes } from './memory-watch';

const pollMs = 100;
const killAfterMs = 2_000;
const stderrChars = 4_000;
const mostAdminBytes = 16 * 1024 * 1024;

const memory = z.object({ allocated: z.coerce.number() });
const listenerStatus = z.object({
  listener_statuses: z.array(z.object({ name: z.string() })).default([]),
});

/** An Envoy as a child process, with its admin interface on a unix socket in a folder of its own. */
export class EnvoyProcess {
  readonly #dir: string;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  /** Lines of standard output. */
  readonly lines: string[] = [];
  readonly #onLine = new Set<() => void>();
  #stderr = '';
  #end: string | undefined;
  readonly #ended: Promise<void>;

  static async start(
    command: string,
    bootstrap: (adminPath: string) => object,
    clock: Clock,
  ): Promise<EnvoyProcess> {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'xdscope-twin-'));
    try {
      const file = path.join(dir, 'bootstrap.json');
      await writeFile(file, JSON.stringify(bootstrap(path.join(dir, 'admin.sock'))), { mode: 0o600 });
      return new EnvoyProcess(command, dir, file, clock);
    } catch (error) {
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(command: string, dir: string, file: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
    const flags = [
      '--concurrency',
      '1',
      '--disable-hot-restart',
      '--log-level',
      'warn',
      '--log-format',
      '%v',
    ];
    const limits = ['--file-flush-interval-msec', '50', '--drain-time-s', '1'];
    this.#child = spawnEnvoy(command, ['--config-path', file, ...flags, ...limits], {
      stdout: 'pipe',
      hasOwnGroup: true,
      cwd: dir,
      env: { NODE_ENV: 'production' },
    });
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', () => undefined);
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrChars);
    });
    if (stdout !== null)
      createInterface({ input: stdout }).on('line', (line) => {
        this.lines.push(line);
        for (const listener of this.#onLine) listener();
      });
    this.#ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#end ??= how;
        for (const listener of this.#onLine) listener();
        resolve();
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', (code, signal) =>
        end(signal === null ? `exit code ${code}` : `signal ${signal}`),
      );
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of standard error. */
  get log(): string {
    return this.#stderr.trim();
  }

  /** Resolves when Envoy has the config and accepts connections. Rejects with the reason if it ends before. */
  async whenReady(signal: AbortSignal): Promise<void> {
    while (!(await this.#isReady(signal))) {
      this.#assertRunning();
      await this.#pause(signal);
    }
  }

  /** The names of the listeners that Envoy has. */
  async listListeners(signal: AbortSignal): Promise<string[]> {
    const text = await this.#readAdmin('/listeners?format=json', signal);
    return listenerStatus.parse(JSON.parse(text)).listener_statuses.map(({ name }) => name);
  }

  /** Resolves when standard output has at least this number of lines that match, or when the process has ended. */
  whenLines(count: number, isCounted: (line: string) => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (this.#end === undefined && !signal.aborted && this.lines.filter(isCounted).length < count) return;
        this.#onLine.delete(settle);
        signal.removeEventListener('abort', settle);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      this.#onLine.add(settle);
      signal.addEventListener('abort', settle);
      settle();
    });
  }

  /** Ends the process; at once if `isAborted`, because nobody reads what it has still to write. */
  async stop({ isAborted }: { readonly isAborted: boolean }): Promise<void> {
    const { pid, stdin } = this.#child;
    const kill = (): void => {
      if (pid !== undefined && this.#end === undefined) process.kill(-pid, 'SIGKILL');
    };
    // The shell ends Envoy when its input ends.
    stdin?.end();
    if (isAborted) kill();
    const timer = this.#clock.setTimeout(kill, killAfterMs);
    await this.#ended;
    timer.cancel();
    await rm(this.#dir, { recursive: true, force: true });
  }

  #assertRunning(): void {
    if (this.#end === undefined) return;
    const lastLine = this.log.split('\n').at(-1) ?? '';
    throw new Error(`Envoy ended with ${this.#end}${lastLine === '' ? '' : `: ${lastLine}`}`);
  }

  async #isReady(signal: AbortSignal): Promise<boolean> {
    try {
      const { allocated } = memory.parse(JSON.parse(await this.#readAdmin('/memory', signal)));
      if (allocated > mostTwinBytes)
        throw new Error(`expected at most ${mostTwinBytes} bytes of memory, got ${allocated}`);
      return (await this.#readAdmin('/ready', signal)).trim() === 'LIVE';
    } catch (error) {
      signal.throwIfAborted();
      // The socket does not exist yet, or Envoy answers 503 while it starts.
      if (error instanceof AdminError || (error as NodeJS.ErrnoException).code !== undefined) return false;
      throw error;
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      }, pollMs);
      const abort = (): void => {
        timer.cancel();
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #readAdmin(target: string, signal: AbortSignal): Promise<string> {
    const socketPath = path.join(this.#dir, 'admin.sock');
    return new Promise((resolve, reject) => {
      get({ socketPath, path: target, agent: false, signal }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('error', reject);
        response.on('data', (part: string) => {
          text += part;
          if (text.length > mostAdminBytes)
            response.destroy(new Error(`${target}: expected at most ${mostAdminBytes} characters`));
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text);
          else
            reject(
              new AdminError(`${target}: expected status 200, got ${response.statusCode}: ${text.trim()}`),
            );
        });
      }).once('error', reject);
    });
  }
}

class AdminError extends Error {}
