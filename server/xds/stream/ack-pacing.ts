/**
 * Some servers answer each ACK with the same resources under a new version, at the speed of the network. Such a response
 * changes nothing; the first ones of a second are answered at once, the others when the second is over.
 */
export class AckPacing {
  readonly #windows = new Map<string, { readonly endsAtMs: number; times: number }>();

  /** How long to hold back the ACK of a response that changed nothing. */
  nextDelayMs(typeUrl: string, nowMs: number): number {
    const window = this.#windows.get(typeUrl);
    // A clock that is set back must not hold anything back for longer than a window.
    if (window === undefined || nowMs >= window.endsAtMs || nowMs < window.endsAtMs - windowMs) {
      this.#windows.set(typeUrl, { endsAtMs: nowMs + windowMs, times: 1 });
      return 0;
    }
    window.times += 1;
    return window.times <= promptInWindow ? 0 : window.endsAtMs - nowMs;
  }

  /** The stream of the type ended. */
  forget(typeUrl: string): void {
    this.#windows.delete(typeUrl);
  }

  forgetAll(): void {
    this.#windows.clear();
  }
}

const windowMs = 1_000;
export const promptInWindow = 10;
