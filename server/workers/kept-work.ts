import { LRUCache } from 'lru-cache';
import { SharedWork } from './shared-work';

/** Shared work whose latest results are kept. A failure is not kept. */
export class KeptWork<T> {
  readonly #kept: LRUCache<string, { readonly result: T }>;
  readonly #shared = new SharedWork<T>();

  constructor(mostKept: number) {
    this.#kept = new LRUCache({ max: mostKept });
  }

  /** Rejects with the signal's reason once it is aborted, which leaves the work to the other callers. */
  async run(
    name: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept.result;
    const result = await this.#shared.run(name, signal, work);
    this.#kept.set(name, { result });
    return result;
  }
}
