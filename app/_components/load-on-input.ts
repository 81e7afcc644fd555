const loads: (() => Promise<unknown>)[] = [];
const events = ['pointermove', 'pointerdown', 'wheel', 'keydown'] as const;
let isListening = false;
let hasInput = false;

/**
 * Loads code that the first picture does not need, as soon as the user moves the pointer or presses a key: what a click
 * opens is then there.
 */
export function loadOnInput(load: () => Promise<unknown>): void {
  if (typeof window === 'undefined') return;
  if (hasInput) {
    void load();
    return;
  }
  loads.push(load);
  if (isListening) return;
  isListening = true;
  for (const name of events) addEventListener(name, loadAll, { capture: true, passive: true });
}

function loadAll(): void {
  hasInput = true;
  for (const name of events) removeEventListener(name, loadAll, { capture: true });
  for (const load of loads.splice(0)) void load();
}
