import { patienceMs } from './patience';

/**
 * Polls `ask`, ever less often, until it returns a value; rejects with `what` and the last error after `usualMs`, or later on a
 * busy machine.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  usualMs = 60_000,
): Promise<T> {
  const startedAt = Date.now();
  const timeoutMs = patienceMs(usualMs);
  const deadline = startedAt + timeoutMs;
  let lastError: unknown;
  while (Date.now() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    const pauseMs = Math.min(500, Math.max(20, (Date.now() - startedAt) / 10));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`waited ${Math.round(timeoutMs)} ms until ${what}`, { cause: lastError });
}
