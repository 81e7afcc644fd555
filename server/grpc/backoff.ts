export interface BackoffOptions {
  readonly initialMs?: number;
  readonly maxMs?: number;
  /** 0 to 1, evenly spread; injected so that tests decide. */
  readonly random: () => number;
}

/**
 * gRPC's connection back-off: 1 s, times 1.6 after each failure, spread by 20 % to both sides so that many clients
 * of a server that returns do not all come at once.
 */
export class Backoff {
  private failures = 0;

  constructor(private readonly options: BackoffOptions) {}

  nextDelayMs(): number {
    const { initialMs = 1_000, maxMs = 30_000, random } = this.options;
    const planned = Math.min(initialMs * 1.6 ** this.failures, maxMs);
    if (planned < maxMs) this.failures++;
    return planned * (0.8 + 0.4 * random());
  }

  reset(): void {
    this.failures = 0;
  }
}
