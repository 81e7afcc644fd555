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

function schedule(callback: () => void): () => void {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(callback, hiddenDelayMs);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(frame);
}
