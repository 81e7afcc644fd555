import type { Clock } from '../../../observe';

interface Batch {
  readonly names: Set<string>;
  readonly timer: { cancel(): void };
}

/** Timers of the resources of one type. Names that are started together, perhaps 30,000, share one timer of the clock. */
export class ResourceTimers {
  readonly #clock: Clock;
  readonly #onExpiry: (names: readonly string[]) => void;
  readonly #batchOf = new Map<string, Batch>();

  constructor(clock: Clock, onExpiry: (names: readonly string[]) => void) {
    this.#clock = clock;
    this.#onExpiry = onExpiry;
  }

  get isIdle(): boolean {
    return this.#batchOf.size === 0;
  }

  /** Running timers continue unchanged. */
  start(names: Iterable<string>, delayMs: number): void {
    const fresh = new Set<string>();
    for (const name of names) if (!this.#batchOf.has(name)) fresh.add(name);
    this.#startBatch(fresh, delayMs);
  }

  /** Restarts running timers. */
  renew(names: Iterable<string>, delayMs: number): void {
    const renewed = new Set(names);
    this.cancel(renewed);
    this.#startBatch(renewed, delayMs);
  }

  cancel(names: Iterable<string>): void {
    if (this.#batchOf.size === 0) return;
    for (const name of names) {
      const batch = this.#batchOf.get(name);
      if (batch === undefined) continue;
      this.#batchOf.delete(name);
      batch.names.delete(name);
      if (batch.names.size === 0) batch.timer.cancel();
    }
  }

  stopAll(): void {
    for (const { timer } of new Set(this.#batchOf.values())) timer.cancel();
    this.#batchOf.clear();
  }

  #startBatch(names: Set<string>, delayMs: number): void {
    if (names.size === 0) return;
    const batch: Batch = { names, timer: this.#clock.setTimeout(() => this.#expire(batch), delayMs) };
    for (const name of names) this.#batchOf.set(name, batch);
  }

  #expire({ names }: Batch): void {
    for (const name of names) this.#batchOf.delete(name);
    this.#onExpiry([...names]);
  }
}
