/** A longer press drags, or opens a menu, and its end may not be reported. */
const longestPressMs = 5_000;
/** Until the click that follows the release of a finger is dispatched. */
const clickWaitMs = 350;

/**
 * Delays callbacks while a pointer is down, until its click has been dispatched: what is under the pointer does not change
 * between press and release. Callbacks keep their order.
 */
export class PressHold {
  private isPressed = false;
  private readonly waiting: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(page: EventTarget) {
    const watch = (name: string, isPressed: boolean, endAfterMs: number) =>
      page.addEventListener(
        name,
        () => {
          this.isPressed ||= isPressed;
          clearTimeout(this.timer);
          this.timer = setTimeout(() => this.end(), endAfterMs);
        },
        true,
      );
    watch('pointerdown', true, longestPressMs);
    watch('pointerup', false, clickWaitMs);
    watch('pointercancel', false, 0);
    watch('click', false, 0);
  }

  readonly run = (callback: () => void): void => {
    if (this.isPressed) this.waiting.push(callback);
    else callback();
  };

  private end(): void {
    this.isPressed = false;
    for (const callback of this.waiting.splice(0)) setTimeout(() => this.run(callback));
  }
}
