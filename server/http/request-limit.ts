import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { rejectRequest } from './problem-json';

interface RequestLimitOptions {
  /** A noun for messages, as in "expensive requests". */
  readonly what: string;
  readonly atOnce: number;
  /** Number of requests that may wait for one of those to end; others are answered 503. */
  readonly waiting: number;
}

/** Sent as Retry-After with a 503. */
const retryAfterSeconds = 5;

interface WaitingRequest {
  readonly response: ServerResponse;
  start(): void;
}

/** Serves a limited number of requests of one kind at once, in the order of their arrival. */
export class RequestLimit {
  readonly #options: RequestLimitOptions;
  readonly #waiting = new Set<WaitingRequest>();
  readonly #running = new Set<ServerResponse>();
  #isClosed = false;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /**
   * Calls `serve` now or when its turn comes. A request occupies its place until its work is over (`serve` has settled
   * or has called end()) and its response has ended. Therefore at most `atOnce` requests cause work, including those
   * whose clients have closed the connection. A request whose client closes the connection while it waits is never
   * served.
   */
  take(request: IncomingMessage, response: ServerResponse, serve: () => Promise<void>): void {
    const { atOnce, waiting, what } = this.#options;
    const start = (): void => {
      this.#running.add(response);
      const ended = new Promise<void>((resolve) => finished(response, () => resolve()));
      // Next settles only at "finish", which is never emitted if the client closes the connection after end() and
      // before the last byte.
      const answered = untilEndIsCalled(response);
      void Promise.allSettled([Promise.race([serve(), answered]), ended]).then(() => {
        this.#running.delete(response);
        this.#startNext();
      });
    };
    if (this.#isClosed) this.#reject(request, response, 'expected requests of a server that is not closing');
    else if (this.#running.size < atOnce) start();
    else if (this.#waiting.size < waiting) {
      const entry = { response, start };
      this.#waiting.add(entry);
      response.once('close', () => this.#waiting.delete(entry));
    } else {
      const more = waiting === 0 ? '' : ` and ${waiting} waiting`;
      this.#reject(request, response, `expected at most ${atOnce} ${what} at once${more}, got one more`);
    }
  }

  /** Closes the connections of running and waiting requests, which ends their work. */
  close(): void {
    this.#isClosed = true;
    for (const { response } of this.#waiting) response.destroy();
    this.#waiting.clear();
    for (const response of this.#running) response.destroy();
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#isClosed) return;
    this.#waiting.delete(next);
    next.start();
  }

  #reject(request: IncomingMessage, response: ServerResponse, detail: string): void {
    response.setHeader('retry-after', String(retryAfterSeconds));
    rejectRequest(request, response, { status: 503, title: 'Too many requests at once', detail });
  }
}

/** Resolves when the whole answer has been passed to Node, although a part of it may still be in transit. */
function untilEndIsCalled(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = response.end.bind(response) as (...args: readonly unknown[]) => ServerResponse;
    response.end = (...args: readonly unknown[]) => {
      resolve();
      return end(...args);
    };
  });
}
