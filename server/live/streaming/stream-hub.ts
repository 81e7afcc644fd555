import { type StreamHello, type StreamNotice, type StreamTopic, topicOf } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '@/server/observe';

interface StreamHubOptions {
  readonly clock: Clock;
  readonly gatherMs?: number;
}

interface Subscription {
  readonly topics: readonly StreamTopic[];
  /** Ends the subscription, as does cancelling the stream. Both may happen. */
  readonly signal: AbortSignal;
}

const heartbeatMs = 15_000;
/** A reader with more unsent bytes is slow. */
const slowFromBytes = 64 * 1024;

interface Reader {
  readonly topics: ReadonlySet<StreamTopic>;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The notices that are not sent yet: a few for each topic, however long the reader does not read. */
  readonly pending: Set<StreamNotice>;
  /** The reader was slow when its notices were due. */
  isBehind: boolean;
}

/** Sends the browsers notices of what may have changed. Notices are collected for 100 ms; a slow reader gets them later. */
export class StreamHub {
  readonly #clock: Clock;
  readonly #gatherMs: number;
  readonly #startedAt: EpochMs;
  readonly #readers = new Set<Reader>();
  #timer: { cancel(): void } | undefined;
  #heartbeat: { cancel(): void } | undefined;
  #isClosed = false;

  constructor({ clock, gatherMs = 100 }: StreamHubOptions) {
    this.#clock = clock;
    this.#gatherMs = gatherMs;
    this.#startedAt = clock.now();
  }

  publish(notice: StreamNotice): void {
    const topic = topicOf(notice);
    for (const { topics, pending } of this.#readers) {
      if (!topics.has(topic)) continue;
      pending.add(notice);
      this.#timer ??= this.#clock.setTimeout(() => this.#sendAll(), this.#gatherMs);
    }
  }

  /** Bytes of server-sent events, for the body of a Response. */
  subscribe({ topics, signal }: Subscription): ReadableStream<Uint8Array> {
    let reader: Reader | undefined;
    const leave = (): boolean => {
      signal.removeEventListener('abort', onAbort);
      return reader !== undefined && this.#remove(reader);
    };
    // Closing a closed stream throws: only the code that removes the reader closes its stream.
    const onAbort = () => {
      if (leave()) reader?.controller.close();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          if (signal.aborted || this.#isClosed) {
            controller.close();
            return;
          }
          reader = { topics: new Set(topics), controller, pending: new Set(), isBehind: false };
          const hello: StreamHello = { serverStartedAt: this.#startedAt };
          controller.enqueue(encodeEvent('hello', hello));
          this.#readers.add(reader);
          this.#heartbeat ??= this.#clock.setTimeout(() => this.#sendHeartbeats(), heartbeatMs);
          signal.addEventListener('abort', onAbort, { once: true });
        },
        // Called when the queue has room again.
        pull: () => {
          if (reader?.isBehind) this.#send(reader);
        },
        cancel: () => {
          leave();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: slowFromBytes }),
    );
  }

  /** Returns whether a reader has subscribed to the topic. */
  hasSubscriber(topic: StreamTopic): boolean {
    for (const { topics } of this.#readers) if (topics.has(topic)) return true;
    return false;
  }

  /** Ends all streams; later calls have no effect, and later subscriptions end at once. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const reader of [...this.#readers]) if (this.#remove(reader)) reader.controller.close();
  }

  #sendAll(): void {
    this.#timer = undefined;
    for (const reader of this.#readers) this.#send(reader);
  }

  #send(reader: Reader): void {
    const { pending, controller } = reader;
    reader.isBehind = pending.size > 0 && isSlow(reader);
    if (pending.size === 0 || reader.isBehind) return;
    controller.enqueue(encodeEvent('notices', [...pending]));
    pending.clear();
  }

  #sendHeartbeats(): void {
    const bytes = encodeEvent('heartbeat', {});
    for (const reader of this.#readers) if (!isSlow(reader)) reader.controller.enqueue(bytes);
    this.#heartbeat = this.#clock.setTimeout(() => this.#sendHeartbeats(), heartbeatMs);
  }

  /** Returns whether the reader was present. */
  #remove(reader: Reader): boolean {
    const wasThere = this.#readers.delete(reader);
    if (this.#readers.size === 0) {
      this.#heartbeat?.cancel();
      this.#heartbeat = undefined;
    }
    return wasThere;
  }
}

function isSlow({ controller }: Reader): boolean {
  return (controller.desiredSize ?? 0) <= 0;
}

const encoder = new TextEncoder();

/**
 * Server-sent events (WHATWG HTML, 9.2), with JSON on one line. The heartbeat is an event, because scripts do not receive
 * comments, and a half-open connection breaks without an error.
 */
function encodeEvent(name: 'hello' | 'notices' | 'heartbeat', data: unknown): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
