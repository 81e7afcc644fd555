import { by } from '@/lib/collections/compare';
import { messageOf } from '@/lib/format/message-of';
import { type InteropRun, interopRun } from '@/lib/interop/run-schema';
import { log } from '../../logger';
import type { StateStore } from '../../store/state';

export const interopRunsPrefix = 'interop-runs/';

/** Keeps runs that ended over a restart. A failure to store one is logged. */
export class SavedInteropRuns {
  readonly #state: StateStore;
  #ids: readonly string[] = [];

  constructor(state: StateStore) {
    this.#state = state;
  }

  /** The newest is last. */
  async read(): Promise<readonly InteropRun[]> {
    const runs = (await this.#state.list(interopRunsPrefix, interopRun)).map(({ value }) => value);
    this.#ids = runs.map(({ id }) => id);
    return runs.sort(by(({ startedAt }) => startedAt));
  }

  /** Stores a run that ended, and drops those that are not in `kept` any more. */
  async save(run: InteropRun, kept: ReadonlySet<string>): Promise<void> {
    const dropped = this.#ids.filter((id) => !kept.has(id));
    try {
      await this.#state.write([
        { key: interopRunsPrefix + run.id, value: run },
        ...dropped.map((id) => ({ key: interopRunsPrefix + id, value: undefined })),
      ]);
      this.#ids = [...this.#ids.filter((id) => kept.has(id) && id !== run.id), run.id];
    } catch (error) {
      log('warn', 'interop', `the run ${run.id} is not stored: ${messageOf(error)}`);
    }
  }
}
