import type { Problem } from '@/lib/observation/observation';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import type { StartSource } from './source-registry';

/** Stands in for a source that must not be started: it is listed with the reason, and can be removed. */
export function startNothing(problem: Problem): StartSource {
  return (onStatus) => new SourceNotStarted(problem, onStatus);
}

class SourceNotStarted implements RunningSource {
  #status: SourceStatus;

  constructor(
    private readonly problem: Problem,
    private readonly onStatus: (status: SourceStatus) => void,
  ) {
    this.#status = { ...initialSourceStatus, state: 'down', problem };
  }

  get status(): SourceStatus {
    return this.#status;
  }

  start(): void {}

  pause(): void {
    this.#update('paused', null);
  }

  resume(): void {
    this.#update('down', this.problem);
  }

  async close(): Promise<void> {}

  #update(state: SourceStatus['state'], problem: Problem | null): void {
    this.#status = { ...this.#status, state, problem };
    this.onStatus(this.#status);
  }
}
