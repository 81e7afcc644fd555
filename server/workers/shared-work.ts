import { setMaxListeners } from 'node:events';

interface Running<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  readers: number;
}

/** Work that several callers await is done once, and aborted when the last of them has left. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /** Joins the work under that name, or begins it. Rejects with the signal's reason once it is aborted. */
  run(name: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const running = this.#running.get(name) ?? this.#begin(name, work);
    running.readers += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        running.readers -= 1;
        reject(signal?.reason);
        if (running.readers > 0) return;
        this.#forget(name, running);
        running.stop.abort(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      running.result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  #begin(name: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    // Each job of the work listens.
    setMaxListeners(0, stop.signal);
    const running: Running<T> = { result: work(stop.signal), stop, readers: 0 };
    this.#running.set(name, running);
    const forget = (): void => this.#forget(name, running);
    running.result.then(forget, forget);
    return running;
  }

  #forget(name: string, running: Running<T>): void {
    if (this.#running.get(name) === running) this.#running.delete(name);
  }
}
