/**
 * Work that stops after every so many items, so that whoever runs it can serve others in between; what it makes is what
 * it returns. Between two steps lies well below a millisecond of work.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Items from one step to the next. */
export const itemsPerStep = 256;

/** All steps at once: for what is small, for tests, and where nobody else waits. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
