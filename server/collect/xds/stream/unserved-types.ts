import type { Problem } from '@/lib/observation/observation';
import { isWanted, type Subscription, type XdsChannelHandler } from './xds-channel';

/**
 * The wanted types that a channel has no means to request. Each is reported once per start, as the end of a stream that
 * was never opened and is not retried.
 */
export class UnservedTypes {
  readonly #problemOf: (typeUrl: string) => Problem;
  readonly #nextStreamId: () => string;
  readonly #handler: XdsChannelHandler;

  /** The wanted types, with whether they have been reported since the start. */
  readonly #wanted = new Map<string, boolean>();
  #isStarted = false;

  constructor(
    problemOf: (typeUrl: string) => Problem,
    nextStreamId: () => string,
    handler: XdsChannelHandler,
  ) {
    this.#problemOf = problemOf;
    this.#nextStreamId = nextStreamId;
    this.#handler = handler;
  }

  start(): void {
    this.#isStarted = true;
    this.#reportLater();
  }

  stop(): void {
    this.#isStarted = false;
    for (const typeUrl of this.#wanted.keys()) this.#wanted.set(typeUrl, false);
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    if (!isWanted(subscription)) this.#wanted.delete(typeUrl);
    else if (!this.#wanted.has(typeUrl)) this.#wanted.set(typeUrl, false);
    this.#reportLater();
  }

  /** The client may be in the middle of changing its subscriptions, so that the handler is called in a microtask. */
  #reportLater(): void {
    queueMicrotask(() => {
      for (const [typeUrl, isReported] of this.#isStarted ? this.#wanted : []) {
        if (isReported) continue;
        this.#wanted.set(typeUrl, true);
        const problem = this.#problemOf(typeUrl);
        this.#handler.onStreamClosed(this.#nextStreamId(), {
          code: 'UNIMPLEMENTED',
          details: problem.message,
          explain: async () => problem,
          typeUrl,
          wasOpened: false,
          hadResponse: false,
          isFailure: true,
          retryInMs: null,
        });
      }
    });
  }
}
