import { Backoff } from '../../grpc/backoff';

/**
 * How long to wait before the next stream. gRFC A57: a stream that ended before any response is a failure and backs
 * off exponentially; one that had a response ended normally (servers are rotated) and is replaced at once. Yet not
 * more often than once a second: a server that answers and hangs up must not be hammered.
 */
export class StreamBackoff {
  readonly #backoff: Backoff;

  /** `random` is in [0, 1). */
  constructor(random: () => number) {
    this.#backoff = new Backoff({ maxMs: maxBackoffMs, random });
  }

  nextDelayMs(stream: { readonly isFailure: boolean; readonly livedMs: number }): number {
    if (stream.isFailure) return this.#backoff.nextDelayMs();
    this.#backoff.reset();
    // A clock that was set back makes a life of minus an hour; nobody waits an hour for that.
    return Math.min(Math.max(0, minSpacingMs - stream.livedMs), minSpacingMs);
  }

  reset(): void {
    this.#backoff.reset();
  }
}

const minSpacingMs = 1_000;
const maxBackoffMs = 120_000;
