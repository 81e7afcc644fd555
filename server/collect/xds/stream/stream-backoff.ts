import { Backoff } from '../../../transport/grpc/backoff';

/**
 * The delay before the next stream. gRFC A57: a stream that ended before any response is a failure with exponential
 * back-off; one that had a response ended normally and is replaced at once, but at most once a second, so that a server
 * that answers and closes streams is not overloaded.
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
    // If the clock was set back, `livedMs` is negative, and the delay is still limited.
    return Math.min(Math.max(0, minSpacingMs - stream.livedMs), minSpacingMs);
  }

  reset(): void {
    this.#backoff.reset();
  }
}

const minSpacingMs = 1_000;
const maxBackoffMs = 120_000;
