import type { CheckResult } from '@/lib/server-checks/server-check';
import type { ServerConfig } from '../bootstrap/server-config';
import type { Clock } from '../observe';
import { ManagedWorker } from '../workers/managed-worker';

/** The input of a thread that checks one server. */
export interface CheckThreadData {
  /** Absent: a management server of the lab, whose config the checks change. */
  readonly server?: ServerConfig;
  /** envoy.config.core.v3.Node in proto3 JSON. Without an id each check has its own. */
  readonly node: Readonly<Record<string, unknown>>;
  readonly mayReject: boolean;
  readonly checkIds: readonly string[];
}

export type CheckThreadMessage =
  | { readonly kind: 'result'; readonly result: CheckResult }
  | { readonly kind: 'done' }
  /** The checks could not begin. */
  | { readonly kind: 'failed'; readonly reason: string };

interface CheckThreadOptions {
  readonly data: CheckThreadData;
  readonly clock: Clock;
  readonly onResult: (result: CheckResult) => void;
  /** Called once. Without a reason all checks have run. */
  readonly onEnd: (reason?: string) => void;
  /** Path of the worker's program, by default the built one. */
  readonly workerProgram?: string | undefined;
}

const maxHeapMb = 1_024;
/** A server that answers nothing takes 2 to 4 seconds for each check. */
const deadlineMs = 10 * 60_000;

/**
 * Checks a server in a thread: decoding what a server sends takes any time and memory that it likes. A thread that needs
 * too much of either ends.
 */
export class CheckThread {
  readonly #worker: ManagedWorker<never, CheckThreadMessage>;
  readonly #deadline: { cancel(): void };
  readonly #onEnd: CheckThreadOptions['onEnd'];
  #isOver = false;

  constructor({ data, clock, onResult, onEnd, workerProgram: file }: CheckThreadOptions) {
    this.#onEnd = onEnd;
    this.#worker = new ManagedWorker({
      program: { name: 'server-checks-worker', file, data, maxHeapMb },
      clock,
      onMessage: (message: CheckThreadMessage) => {
        if (message.kind === 'result') onResult(message.result);
        else this.#end(message.kind === 'failed' ? message.reason : undefined);
      },
      onLost: ({ reason }) => this.#end(reason),
    });
    this.#deadline = clock.setTimeout(
      () => this.#end(`the checks took longer than ${deadlineMs / 60_000} minutes`),
      deadlineMs,
    );
    this.#worker.start();
    this.#worker.setIdle(true);
  }

  /** Ends the thread, which reports nothing more. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#deadline.cancel();
    await this.#worker.close();
  }

  #end(reason?: string): void {
    if (this.#isOver) return;
    void this.close();
    this.#onEnd(reason);
  }
}
