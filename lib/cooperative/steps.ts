/**
 * Work that yields regularly, so that its caller can do other work in between, and returns a result. A step takes well below
 * a millisecond.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Steps of which some yield a promise, which never rejects: the next step must be taken when it has resolved. */
export type AwaitingSteps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** Waits for a promise in a step. Throws what it rejects with. */
export function* awaitIn<T>(promise: Promise<T>): Generator<Promise<void>, T, void> {
  let settle = (): T => {
    throw new Error('expected a promise that was awaited, got one that is pending');
  };
  yield promise.then(
    (value) => {
      settle = () => value;
    },
    (error: unknown) => {
      settle = () => {
        throw error;
      };
    },
  );
  return settle();
}

export const itemsPerStep = 256;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
