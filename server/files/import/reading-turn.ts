/** Lets one import be unpacked and parsed at a time, in the order of the calls of take(). */
export class ReadingTurn {
  #taken = 0;
  #last: Promise<unknown> = Promise.resolve();

  get isFree(): boolean {
    return this.#taken === 0;
  }

  /** Runs `work` when all earlier work is over. Rejects with the reason of `signal` if it aborts before that. */
  take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#taken += 1;
    const earlier = this.#last;
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      this.#last = earlier
        .then(async () => {
          signal.removeEventListener('abort', onAbort);
          signal.throwIfAborted();
          resolve(await work());
        })
        .catch(reject)
        .finally(() => {
          this.#taken -= 1;
        });
    });
  }
}
