import { LRUCache } from 'lru-cache';

/** Somebody may have put another client there meanwhile. */
const askAgainMs = 3_600_000;
const clientsKept = 20_000;

/**
 * Who cannot report endpoints. grpc-go ends the stream when it is asked for them, connects again, and would do so for
 * ever: who ended a stream that asked, before reporting anything, is asked for less for an hour.
 */
export class EndpointRejections {
  readonly #rejectedAt = new LRUCache<string, number>({ max: clientsKept });

  constructor(private readonly now: () => number) {}

  mayAsk(clientId: string): boolean {
    const at = this.#rejectedAt.get(clientId);
    return at === undefined || this.now() - at >= askAgainMs;
  }

  noteEnd(clientId: string, { asked, reported }: { readonly asked: boolean; readonly reported: boolean }) {
    if (asked && !reported) this.#rejectedAt.set(clientId, this.now());
  }

  get count(): number {
    return this.#rejectedAt.size;
  }
}
