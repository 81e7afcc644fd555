import type { StreamChange } from '@/lib/api/stream';

/** A hidden tab draws no frames; it still follows, in no hurry. */
const hiddenDelayMs = 500;

/** Gathers changes and hands them over once per animation frame. */
export class ChangeGatherer {
  private waiting: StreamChange[] = [];
  private cancel: (() => void) | undefined;

  constructor(private readonly flush: (changes: readonly StreamChange[]) => void) {}

  add(changes: readonly StreamChange[]): void {
    // push(...changes) would overflow the stack with a large frame.
    for (const change of changes) this.waiting.push(change);
    this.cancel ??= schedule(() => {
      this.cancel = undefined;
      const gathered = this.waiting;
      this.waiting = [];
      this.flush(gathered);
    });
  }

  close(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.waiting = [];
  }
}

/** Once: at the next animation frame, or, in a tab that is hidden or becomes it (its frames stop), a while later. */
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
