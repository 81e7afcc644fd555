import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import type { StartSource } from '../sources/source-registry';

interface LeasedSourceParts {
  readonly start: StartSource;
  readonly onStatus: (status: SourceStatus) => void;
  /** The process held the lease last, as far as it knows. */
  readonly mayStart: () => boolean;
  /** The process would observe it, if it had the lease. */
  readonly onWanted: (isWanted: boolean) => void;
}

const standby: SourceStatus = {
  ...initialSourceStatus,
  isStandby: true,
  notes: ['another collector of the shared store observes it, or will do so within seconds'],
};

/** A source that runs only while its process holds the lease. */
export class LeasedSource implements RunningSource {
  readonly #parts: LeasedSourceParts;
  #running: RunningSource | undefined;
  #closing: Promise<void> | undefined;
  #isPaused = false;

  constructor(parts: LeasedSourceParts) {
    this.#parts = parts;
  }

  get status(): SourceStatus {
    if (this.#running !== undefined) return this.#running.status;
    return this.#isPaused ? { ...initialSourceStatus, state: 'paused' } : standby;
  }

  start(): void {
    this.#parts.onWanted(!this.#isPaused);
  }

  run(): void {
    if (this.#running !== undefined || this.#closing !== undefined || this.#isPaused) return;
    const running = this.#parts.start((status) => {
      // The last status of a source that was stopped comes late.
      if (this.#running === running) this.#parts.onStatus(status);
    });
    this.#running = running;
    running.start();
    this.#parts.onStatus(running.status);
  }

  runIfAllowed(): void {
    if (this.#parts.mayStart()) this.run();
  }

  /** Resolves when it observes nothing any more. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#closing ??= running?.close().finally(() => {
      this.#closing = undefined;
    });
    if (running !== undefined) this.#parts.onStatus(this.status);
    await this.#closing;
  }

  /** The lease is released, so that a pause here does not keep others from observing it. */
  pause(): void {
    this.#isPaused = true;
    this.#parts.onWanted(false);
    void this.stop();
  }

  resume(): void {
    this.#isPaused = false;
    this.#parts.onWanted(true);
  }

  async close(): Promise<void> {
    this.#parts.onWanted(false);
    await this.stop();
  }
}
