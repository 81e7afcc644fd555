import * as z from 'zod';
import type { Clock } from '../observe';
import type { SourceStatus } from '../source-status';
import type { SourceDescription } from '../sources/source-registry';
import type { StateStore } from '../store/state';
import { RepeatedWork } from './repeated-work';
import { shareSource } from './shared-status';

/** A collector, by its id. Its version is that of its newest report, so that one that has ended is recognised. */
export const collectorPrefix = 'collectors/';
export const collectorSchema = z.object({
  name: z.string(),
  /** Incremented when its sources or their statuses have changed. */
  revision: z.number().int(),
});
export const sourcesPrefix = 'collector-sources/';

const reportEveryMs = 2_000;

interface SourceReporterParts {
  readonly clock: Clock;
  readonly collector: string;
  readonly name: string;
  readonly state: () => Promise<StateStore>;
  readonly listSources: () => Iterable<{
    readonly description: SourceDescription;
    readonly status: SourceStatus;
  }>;
}

/** Reports the sources of this collector and their statuses to the shared store, every two seconds. */
export class SourceReporter {
  readonly #parts: SourceReporterParts;
  readonly #work: RepeatedWork;
  #reported = '';
  #revision = 0;

  constructor(parts: SourceReporterParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: reportEveryMs, failure: 'the sources are not reported' },
      work: () => this.#report(),
    });
  }

  start(): void {
    this.#work.start();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  async #report(): Promise<void> {
    const { collector, name, listSources, clock } = this.#parts;
    const state = await this.#parts.state();
    const sources = [...listSources()].map(({ description, status }) => shareSource(description, status));
    const json = JSON.stringify(sources);
    if (json !== this.#reported) {
      await state.put(`${sourcesPrefix}${collector}`, sources);
      this.#reported = json;
      // A restart must not repeat a revision.
      this.#revision = Math.max(this.#revision + 1, clock.now());
    }
    await state.put(`${collectorPrefix}${collector}`, { name, revision: this.#revision });
  }
}
