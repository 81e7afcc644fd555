/**
 * Work that yields regularly, so that its caller can do other work in between, and returns a result. A step takes well below
 * a millisecond.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

export const itemsPerStep = 256;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
