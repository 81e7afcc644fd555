import { type CheckRunJson, checkRun } from '@/lib/views/server-checks/schema';
import type { StateStore } from '../../store/state';

/** Runs of server checks, and copies of those that were shared, by their ids. */
export const savedRunPrefixes = ['server-checks/', 'server-check-permalinks/'] as const;

export class SavedRuns {
  readonly #state: StateStore;
  readonly #prefix: (typeof savedRunPrefixes)[number];
  readonly #runs: Map<string, CheckRunJson>;

  private constructor(
    state: StateStore,
    prefix: (typeof savedRunPrefixes)[number],
    runs: Map<string, CheckRunJson>,
  ) {
    this.#state = state;
    this.#prefix = prefix;
    this.#runs = runs;
  }

  static async open(state: StateStore, prefix: (typeof savedRunPrefixes)[number]): Promise<SavedRuns> {
    const kept = await state.list(prefix, checkRun);
    return new SavedRuns(state, prefix, new Map(kept.map(({ key, value }) => [key, value])));
  }

  get count(): number {
    return this.#runs.size;
  }

  find(id: string): CheckRunJson | undefined {
    return this.#runs.get(id);
  }

  list(): CheckRunJson[] {
    return [...this.#runs.values()];
  }

  /** Resolves when it is stored. */
  async write(run: CheckRunJson): Promise<void> {
    await this.#state.put(this.#prefix + run.id, run);
    this.#runs.set(run.id, run);
  }

  async remove(id: string): Promise<void> {
    await this.#state.put(this.#prefix + id, undefined);
    this.#runs.delete(id);
  }
}
