import type { Clock } from '../observe';
import { Backoff } from './backoff';
import type { Http2Connection } from './http2-connection';

export interface KeepDialingOptions {
  readonly connection: Http2Connection;
  readonly clock: Clock;
  readonly forMs: number;
  /** Returns 0 to 1. It spreads the attempts of many connections. */
  readonly random: () => number;
  /** Called at most once. */
  readonly onConnected: () => void;
}

const firstDelayMs = 200;
const longestDelayMs = 2_000;

/** Tries to connect with a back-off until it succeeds, `forMs` have passed, or it is cancelled. */
export function keepDialing({ connection, clock, forMs, random, onConnected }: KeepDialingOptions): {
  cancel(): void;
} {
  const backoff = new Backoff({ initialMs: firstDelayMs, maxMs: longestDelayMs, random });
  let isOver = false;
  let release: (() => void) | undefined;
  let next: { cancel(): void } | undefined;
  const releaseAttempt = (): void => {
    release?.();
    release = undefined;
  };
  const end = (): void => {
    isOver = true;
    releaseAttempt();
    next?.cancel();
    limit.cancel();
  };
  const limit = clock.setTimeout(end, forMs);
  const dial = (): void => {
    const attempt = connection.use();
    release = attempt.release;
    attempt.session.then(
      () => {
        if (isOver) return;
        end();
        onConnected();
      },
      () => {
        if (isOver) return;
        releaseAttempt();
        next = clock.setTimeout(dial, backoff.nextDelayMs());
      },
    );
  };
  dial();
  return { cancel: end };
}
