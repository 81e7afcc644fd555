interface BackoffOptions {
  readonly initialMs?: number;
  readonly maxMs?: number;
  /** Returns 0 to 1, evenly distributed. */
  readonly random: () => number;
}

/** gRPC's connection back-off: by default 1 s, times 1.6 after each failure up to 30 s, with a jitter of 20 %. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  nextDelayMs(): number {
    const { initialMs = 1_000, maxMs = 30_000, random } = this.#options;
    const planned = Math.min(initialMs * 1.6 ** this.#failures, maxMs);
    if (planned < maxMs) this.#failures++;
    return planned * (0.8 + 0.4 * random());
  }

  reset(): void {
    this.#failures = 0;
  }
}
