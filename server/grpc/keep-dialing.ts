import type { Clock } from '../observe';
import { Backoff } from './backoff';
import type { Http2Connection } from './http2-connection';

export interface KeepDialingOptions {
  readonly connection: Http2Connection;
  readonly clock: Clock;
  readonly forMs: number;
  /** 0 to 1; spreads the attempts of many. */
  readonly random: () => number;
  /** Once, when there is a connection. */
  readonly onConnected: () => void;
}

/** A server that comes back is reached soon. */
const firstDelayMs = 200;
const longestDelayMs = 2_000;

/** Tries to connect again and again, until it succeeds, the time is over, or it is cancelled. */
export function keepDialing({ connection, clock, forMs, random, onConnected }: KeepDialingOptions): {
  cancel(): void;
} {
  const backoff = new Backoff({ initialMs: firstDelayMs, maxMs: longestDelayMs, random });
  let isOver = false;
  let leave: (() => void) | undefined;
  let next: { cancel(): void } | undefined;
  const leaveAttempt = (): void => {
    leave?.();
    leave = undefined;
  };
  const end = (): void => {
    isOver = true;
    leaveAttempt();
    next?.cancel();
    limit.cancel();
  };
  const limit = clock.setTimeout(end, forMs);
  const dial = (): void => {
    const attempt = connection.use();
    leave = attempt.leave;
    attempt.session.then(
      () => {
        if (isOver) return;
        end();
        onConnected();
      },
      () => {
        if (isOver) return;
        leaveAttempt();
        next = clock.setTimeout(dial, backoff.nextDelayMs());
      },
    );
  };
  dial();
  return { cancel: end };
}
