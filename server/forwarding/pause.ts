import type { Clock } from '../observe';

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, delayMs);
    signal.addEventListener('abort', end);
  });
}
