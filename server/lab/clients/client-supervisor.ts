import type { ChildProcess } from 'node:child_process';
import { messageOf } from '@/lib/format/message-of';
import type { LabProcess } from '@/lib/views/lab/schema';
import type { Clock } from '../../observe';

const firstBackoffMs = 1000;
const maxBackoffMs = 30_000;
/** A crash after this life time counts as a new problem, and the back-off starts from its minimum. */
const stableAfterMs = 60_000;
const killAfterMs = 2000;

export interface SupervisorOptions {
  readonly name: string;
  readonly launch: () => ChildProcess;
  /** Resolves when the process serves. Absent: its first message or output states that. */
  readonly whenServing?: (hasEnded: () => boolean) => Promise<void>;
  readonly clock: Clock;
  readonly emitEvent: (what: 'client-crashed' | 'client-restarted', text: string) => void;
  readonly onChange: () => void;
}

/** Keeps one client process running on the same port. The back-off doubles with each crash. */
export class ClientSupervisor {
  readonly #options: SupervisorOptions;
  state: LabProcess['state'] = 'starting';
  restarts = 0;
  /** The reason why the process does not run; empty while it runs. */
  reason = '';
  /** Resolves when the process serves its CSDS or admin interface for the first time. */
  readonly firstServed: Promise<void>;
  #resolveFirstServed: () => void = () => undefined;
  #child: ChildProcess | undefined;
  #backoffMs = firstBackoffMs;
  #timer: { cancel(): void } | undefined;
  #closing = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.firstServed = new Promise((resolve) => {
      this.#resolveFirstServed = resolve;
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    const { clock, launch } = this.#options;
    const startedAt = clock.now();
    let child: ChildProcess;
    try {
      child = launch();
    } catch (error) {
      this.#ended(startedAt, messageOf(error));
      return;
    }
    this.#child = child;
    this.#become('starting', this.reason);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-stderrTailLength);
    });
    // The dying process closed the pipe. The exit event reports the reason.
    child.stdin?.on('error', () => undefined);
    // Either a message (Node) or the first output (Python) states that CSDS is served.
    child.once('message', () => this.#served(child));
    child.stdout?.once('data', () => this.#served(child));
    child.stdout?.resume();
    void this.#options.whenServing?.(() => child !== this.#child).then(() => this.#served(child));
    child.once('error', (error) => {
      if (child === this.#child) this.#ended(startedAt, error.message);
    });
    child.once('close', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const why = findCrashReason(stderr);
      if (child === this.#child) this.#ended(startedAt, why === '' ? how : `${how}: ${why}`);
    });
  }

  close(): Promise<void> {
    this.#closing = true;
    this.#timer?.cancel();
    const child = this.#child;
    if (child === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      child.once('close', () => {
        timer.cancel();
        resolve();
      });
      child.kill('SIGTERM');
    });
  }

  #served(child: ChildProcess): void {
    if (child !== this.#child || this.#closing) return;
    this.#become('running', '');
    this.#resolveFirstServed();
    if (this.restarts > 0)
      this.#options.emitEvent('client-restarted', `${this.#options.name} is running again`);
  }

  #ended(startedAt: number, how: string): void {
    this.#child = undefined;
    if (this.#closing) {
      this.#become('stopped', '');
      return;
    }
    const { name, clock, emitEvent } = this.#options;
    this.#become('crashed', how);
    emitEvent('client-crashed', `${name} ended unasked, ${how}`);
    if (clock.now() - startedAt > stableAfterMs) this.#backoffMs = firstBackoffMs;
    this.#timer = clock.setTimeout(() => {
      this.restarts += 1;
      this.start();
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
  }

  #become(state: LabProcess['state'], reason: string): void {
    this.state = state;
    this.reason = reason;
    this.#options.onChange();
  }
}

/** Number of bytes of stderr that are kept. */
const stderrTailLength = 4096;

/**
 * Returns the line of stderr that states why a process ended: the last line that looks like an error ("SyntaxError:
 * ...", "ImportError: ..."), or else the last line that is not empty. Empty if nothing was written.
 */
export function findCrashReason(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^Node\.js v\d/.test(line));
  return lines.findLast((line) => /^(Uncaught )?\w*(Error|Exception)\b.*:/.test(line)) ?? lines.at(-1) ?? '';
}
