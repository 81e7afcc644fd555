import type { StreamChange } from '@/lib/views/stream/schema';

/** Hidden tabs have no animation frames. */
const hiddenDelayMs = 500;

/** Collects changes and flushes them once per animation frame. */
export class ChangeGatherer {
  readonly #flush: (changes: readonly StreamChange[]) => void;
  #waiting: StreamChange[] = [];
  #cancel: (() => void) | undefined;

  constructor(flush: (changes: readonly StreamChange[]) => void) {
    this.#flush = flush;
  }

  add(changes: readonly StreamChange[]): void {
    // push(...changes) would overflow the stack with a large frame.
    for (const change of changes) this.#waiting.push(change);
    this.#cancel ??= schedule(() => {
      this.#cancel = undefined;
      const gathered = this.#waiting;
      this.#waiting = [];
      this.#flush(gathered);
    });
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waiting = [];
  }
}

/** Runs the callback once: at the next animation frame, or after a delay while the tab is hidden. */
function schedule(callback: () => void): () => void {
  let cancelTurn = (): void => undefined;
  const cancel = () => {
    document.removeEventListener('visibilitychange', plan);
    cancelTurn();
  };
  const run = () => {
    cancel();
    callback();
  };
  const plan = () => {
    cancelTurn();
    if (document.visibilityState === 'hidden') {
      const timer = setTimeout(run, hiddenDelayMs);
      cancelTurn = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      cancelTurn = () => cancelAnimationFrame(frame);
    }
  };
  document.addEventListener('visibilitychange', plan);
  plan();
  return cancel;
}
