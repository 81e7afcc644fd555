/** The end of a press may not be reported, for example if the pointer is released outside the window and stays there. */
const longestPressMs = 30_000;
/** The wait until the click that follows the release of a finger is dispatched. */
const clickWaitMs = 350;
/** A pointer that moves further drags, and what it drags over is shown at once. */
const dragPx = 12;

/**
 * Delays callbacks while a pointer is down, until its click has been dispatched: what is under the pointer does not change
 * between press and release. Callbacks keep their order.
 */
export class PressHold {
  /** The event with which the pointer was pressed; undefined: it is not pressed, or drags. */
  #pressedAt: PointerEvent | undefined;
  readonly #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(page: EventTarget) {
    const watch = (name: string, endAfterMs: (event: PointerEvent) => number | undefined) =>
      page.addEventListener(
        name,
        (event) => {
          const delayMs = endAfterMs(event as PointerEvent);
          if (delayMs === undefined) return;
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => this.#end(), delayMs);
        },
        true,
      );
    watch('pointerdown', (event) => {
      this.#pressedAt = event;
      return longestPressMs;
    });
    watch('pointermove', ({ clientX, clientY, buttons }) => {
      const at = this.#pressedAt;
      if (at === undefined) return undefined;
      // A pointer that moves without a button was released outside the window.
      if (buttons === 0) return clickWaitMs;
      return Math.hypot(clientX - at.clientX, clientY - at.clientY) > dragPx ? 0 : undefined;
    });
    watch('pointerup', () => clickWaitMs);
    watch('pointercancel', () => 0);
    watch('click', () => 0);
  }

  readonly run = (callback: () => void): void => {
    if (this.#pressedAt) this.#waiting.push(callback);
    else callback();
  };

  #end(): void {
    this.#pressedAt = undefined;
    for (const callback of this.#waiting.splice(0)) setTimeout(() => this.run(callback));
  }
}
