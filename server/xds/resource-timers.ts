import type { Clock } from '../observe';

/** gRFC A53: a resource that is not sent within 15 s of being asked for does not exist. */
export const resourceTimeoutMs = 15_000;

interface Batch {
  readonly names: readonly string[];
  readonly timer: { cancel(): void };
}

/**
 * The resource timers of one type. One clock timer serves all names of one request, since 30,000 names may be asked
 * for at once. gRFC A57: a timer starts when the request was sent on a connected stream, and stops with the stream.
 */
export class ResourceTimers {
  readonly #batchOf = new Map<string, Batch>();
  readonly #batches = new Set<Batch>();

  constructor(
    private readonly clock: Clock,
    private readonly onExpiry: (names: readonly string[]) => void,
  ) {}

  /** Names whose timer runs already keep it. */
  start(names: Iterable<string>): void {
    const fresh = [...names].filter((name) => !this.#batchOf.has(name));
    if (fresh.length === 0) return;
    const timer = this.clock.setTimeout(() => this.#expire(batch), resourceTimeoutMs);
    const batch: Batch = { names: fresh, timer };
    this.#batches.add(batch);
    for (const name of fresh) this.#batchOf.set(name, batch);
  }

  /** The names were heard of, or nobody wants them any more. */
  cancel(names: Iterable<string>): void {
    if (this.#batchOf.size === 0) return;
    for (const name of names) this.#batchOf.delete(name);
  }

  stopAll(): void {
    for (const { timer } of this.#batches) timer.cancel();
    this.#batches.clear();
    this.#batchOf.clear();
  }

  #expire(batch: Batch): void {
    this.#batches.delete(batch);
    const expired = batch.names.filter((name) => this.#batchOf.get(name) === batch);
    this.cancel(expired);
    if (expired.length > 0) this.onExpiry(expired);
  }
}
