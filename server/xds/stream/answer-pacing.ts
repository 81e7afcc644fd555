/**
 * Some servers answer each ACK with the same resources under a new version. The first ACKs of a second are sent at once,
 * the others at its end, so that such a server does not cause a busy loop.
 */
export class AckPacing {
  readonly #windows = new Map<string, { readonly endsAtMs: number; times: number }>();

  /** Returns the time by which to delay the ACK of a response that changes nothing. */
  nextDelayMs(typeUrl: string, nowMs: number): number {
    const window = this.#windows.get(typeUrl);
    // A clock that is set back must not delay an ACK for longer than a window.
    if (window === undefined || nowMs >= window.endsAtMs || nowMs < window.endsAtMs - windowMs) {
      this.#windows.set(typeUrl, { endsAtMs: nowMs + windowMs, times: 1 });
      return 0;
    }
    window.times += 1;
    return window.times <= promptInWindow ? 0 : window.endsAtMs - nowMs;
  }

  /** Must be called when the stream of the type has ended. */
  forget(typeUrl: string): void {
    this.#windows.delete(typeUrl);
  }

  forgetAll(): void {
    this.#windows.clear();
  }
}

const windowMs = 1_000;
const promptInWindow = 10;

/**
 * Some servers answer a NACK by sending the same resources at once (go-control-plane, if the requested version is not the
 * one of the snapshot). The first NACK is sent at once, and the delay doubles with each repetition. If the version differs
 * each time, every NACK after `promptInRow` without an ACK is delayed by a second.
 */
export class NackPacing {
  readonly #rejections = new Map<
    string,
    { readonly what: string; readonly times: number; readonly inRow: number }
  >();

  nextDelayMs(typeUrl: string, versionInfo: string, errorDetail: string): number {
    const what = `${versionInfo}\u0000${errorDetail}`;
    const before = this.#rejections.get(typeUrl);
    const times = before?.what === what ? before.times + 1 : 0;
    const inRow = (before?.inRow ?? 0) + 1;
    this.#rejections.set(typeUrl, { what, times, inRow });
    const roundDelayMs = inRow > promptInRow ? inRowDelayMs : 0;
    return times === 0 ? roundDelayMs : Math.min(firstDelayMs * 2 ** (times - 1), maxDelayMs);
  }

  /** Must be called when a response of the type is accepted. */
  forget(typeUrl: string): void {
    this.#rejections.delete(typeUrl);
  }

  /** Must be called when the stream has ended. */
  forgetAll(): void {
    this.#rejections.clear();
  }
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;
const promptInRow = 20;
const inRowDelayMs = 1_000;
