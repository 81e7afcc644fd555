import { messageOf } from '@/lib/format/message-of';
import type { CheckResult } from '@/lib/server-checks/server-check';
import type { Clock } from '../../observe';
import type { ServerConfig } from '../../transport/bootstrap/server-config';
import { Compute, type JobSet } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';

/** The input of a thread that checks one server. */
export interface ChecksToRun {
  /** Absent: a management server of the lab, whose config the checks change. */
  readonly server?: ServerConfig;
  /** envoy.config.core.v3.Node in proto3 JSON. Without an id each check has its own. */
  readonly node: Readonly<Record<string, unknown>>;
  readonly mayReject: boolean;
  readonly checkIds: readonly string[];
}

export interface CheckJobs {
  /** The result of the next check, or null after the last one. */
  readonly next: { readonly input: null; readonly output: CheckResult | null };
}

export const checkJobs: JobSet<'checks', ChecksToRun, CheckJobs> = { name: 'checks', thread: 'checks' };

interface CheckThreadOptions {
  readonly data: ChecksToRun;
  readonly clock: Clock;
  readonly onResult: (result: CheckResult) => void;
  /** Called once. Without a reason all checks have run. */
  readonly onEnd: (reason?: string) => void;
}

/** A server that answers nothing takes 2 to 4 seconds for each check. */
const deadlineMs = 10 * 60_000;

/**
 * Checks a server in a thread: decoding what a server sends takes any time and memory that it likes. A thread that needs
 * too much of either ends.
 */
export class CheckThread {
  readonly #queue: JobQueue<CheckJobs>;
  readonly #deadline: { cancel(): void };
  readonly #onEnd: CheckThreadOptions['onEnd'];
  #isOver = false;

  constructor({ data, clock, onResult, onEnd }: CheckThreadOptions) {
    this.#onEnd = onEnd;
    this.#queue = new Compute().queue(checkJobs, data, {
      ...{ owner: 'the thread of the checks', doing: 'checking the server' },
      errorOf: (message) => new Error(message),
    });
    this.#deadline = clock.setTimeout(
      () => this.#end(`the checks took longer than ${deadlineMs / 60_000} minutes`),
      deadlineMs,
    );
    void this.#run(onResult);
  }

  /** Ends the thread, which reports nothing more. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#deadline.cancel();
    await this.#queue.close();
  }

  async #run(onResult: (result: CheckResult) => void): Promise<void> {
    try {
      for (;;) {
        const result = await this.#queue.run('next', null);
        if (this.#isOver) return;
        if (result === null) break;
        onResult(result);
      }
      this.#end();
    } catch (error) {
      this.#end(messageOf(error));
    }
  }

  #end(reason?: string): void {
    if (this.#isOver) return;
    void this.close();
    this.#onEnd(reason);
  }
}
