import { randomBytes } from 'node:crypto';
import type { StreamChange, StreamTopic } from '@/lib/api/stream';
import type { Clock } from '@/server/observe';
import { coalesceChanges } from './frame-coalescer';
import { FrameEncoder } from './frame-encoder';
import { FrameRing } from './frame-ring';
import { type EventId, encodeHeartbeat, encodeHello, encodeReset, parseEventId } from './sse-encoding';

export interface StreamHubOptions {
  readonly clock: Clock;
  /** At most one frame in this time. */
  readonly frameMs?: number;
  readonly heartbeatMs?: number;
  /** How far back a browser that comes back, or is slow, is still served without reading everything again. */
  readonly ringFrames?: number;
  readonly ringBytes?: number;
}

export interface Subscription {
  readonly topics: readonly StreamTopic[];
  /** The header Last-Event-ID, as it came: from outside. */
  readonly lastEventId?: string;
  /** Ends the subscription; so does cancelling the stream. Whichever comes, and both may. */
  readonly signal: AbortSignal;
}

/**
 * The tail of the log to the browsers.
 *
 *   publish -> gathered for 33 ms -> coalesced by key -> ring -> encoded once per mixture of topics -> every reader
 *                                                         |
 *                                                         +-> a reader that was slow, or comes back: what it missed,
 *                                                             coalesced into one frame; or `reset`
 *
 * A reader costs what its stream's queue holds (64 KiB and one frame, whose bytes all share) and nothing more: while
 * it is slow only its place in the ring is remembered.
 */
export interface StreamHub {
  publish(change: StreamChange): void;
  /** Bytes of server-sent events, for the body of a Response. */
  subscribe(subscription: Subscription): ReadableStream<Uint8Array>;
  subscribers(): number;
  /** Is there a reader of that topic? */
  isHeard(topic: StreamTopic): boolean;
  /** Ends all streams; later calls do nothing, later subscriptions end at once. */
  close(): void;
}

export function createStreamHub(options: StreamHubOptions): StreamHub {
  return new SseStreamHub(options);
}

/** Unsent bytes from which on a reader counts as slow. */
const slowFromBytes = 64 * 1024;

class Reader {
  readonly topics: readonly StreamTopic[];
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The newest revision that it was served, while it is slow; null while it is served as frames come. */
  servedRevision: number | null = null;

  constructor(topics: readonly StreamTopic[], controller: ReadableStreamDefaultController<Uint8Array>) {
    this.topics = topics;
    this.controller = controller;
  }

  get isSlow(): boolean {
    return (this.controller.desiredSize ?? 0) <= 0;
  }
}

class SseStreamHub implements StreamHub {
  readonly #clock: Clock;
  readonly #frameMs: number;
  readonly #heartbeatMs: number;
  readonly #ring: FrameRing;
  readonly #epoch = randomBytes(6).toString('hex');
  readonly #startedAt: string;
  readonly #readers = new Set<Reader>();
  #gathered: StreamChange[] = [];
  #frameTimer: { cancel(): void } | null = null;
  #heartbeatTimer: { cancel(): void } | null = null;
  #closed = false;

  constructor(options: StreamHubOptions) {
    this.#clock = options.clock;
    this.#frameMs = options.frameMs ?? 33;
    this.#heartbeatMs = options.heartbeatMs ?? 15_000;
    this.#ring = new FrameRing({
      maxFrames: options.ringFrames ?? 2000,
      maxBytes: options.ringBytes ?? 16 * 1024 * 1024,
    });
    this.#startedAt = new Date(this.#clock.now()).toISOString();
  }

  publish(change: StreamChange): void {
    if (this.#closed) return;
    this.#gathered.push(change);
    this.#frameTimer ??= this.#clock.setTimeout(() => this.#sendFrame(), this.#frameMs);
  }

  subscribe({ topics, lastEventId, signal }: Subscription): ReadableStream<Uint8Array> {
    let reader: Reader | undefined;
    const leave = (): boolean => {
      signal.removeEventListener('abort', onAbort);
      return reader !== undefined && this.#remove(reader);
    };
    // Closing what was closed already throws: only whoever takes the reader out closes its stream.
    const onAbort = () => {
      if (leave()) reader?.controller.close();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          if (signal.aborted || this.#closed) {
            controller.close();
            return;
          }
          reader = new Reader([...new Set(topics)].sort(), controller);
          this.#greet(reader, lastEventId);
          this.#add(reader);
          signal.addEventListener('abort', onAbort, { once: true });
        },
        // Called when the queue has room again.
        pull: () => {
          if (reader) this.#catchUp(reader);
        },
        cancel: () => {
          leave();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: slowFromBytes }),
    );
  }

  subscribers(): number {
    return this.#readers.size;
  }

  isHeard(topic: StreamTopic): boolean {
    for (const { topics } of this.#readers) if (topics.includes(topic)) return true;
    return false;
  }

  close(): void {
    this.#closed = true;
    this.#frameTimer?.cancel();
    this.#gathered = [];
    for (const reader of [...this.#readers]) {
      if (this.#remove(reader)) reader.controller.close();
    }
  }

  /**
   * The hello of a reader that resumes carries the id that it resumes after, not the newest one: if the connection
   * breaks again before the frame that follows, nothing is skipped.
   */
  #greet(reader: Reader, lastEventId: string | undefined): void {
    const resumed = lastEventId === undefined ? undefined : this.#findResumable(lastEventId);
    const revision = resumed ?? this.#ring.newestRevision;
    reader.controller.enqueue(
      encodeHello(this.#id(revision), { revision, serverStartedAt: this.#startedAt }),
    );
    if (resumed !== undefined) this.#sendMissed(reader, resumed);
    else if (lastEventId !== undefined) reader.controller.enqueue(encodeReset(this.#id(revision)));
  }

  #findResumable(lastEventId: string): number | undefined {
    const id = parseEventId(lastEventId);
    if (!id || id.epoch !== this.#epoch) return undefined;
    return this.#ring.findAfter(id.revision) ? id.revision : undefined;
  }

  #sendFrame(): void {
    this.#frameTimer = null;
    const before = this.#ring.newestRevision;
    const frame = this.#ring.push(coalesceChanges(this.#gathered));
    this.#gathered = [];
    const encoder = new FrameEncoder(this.#id(frame.revision), frame.changes);
    for (const reader of this.#readers) {
      if (reader.servedRevision !== null) continue;
      const bytes = encoder.encode(reader.topics);
      if (!bytes) continue;
      if (reader.isSlow) reader.servedRevision = before;
      else reader.controller.enqueue(bytes);
    }
  }

  #catchUp(reader: Reader): void {
    const { servedRevision } = reader;
    if (servedRevision === null || !this.#readers.has(reader)) return;
    reader.servedRevision = null;
    this.#sendMissed(reader, servedRevision);
  }

  /** What came after `revision`, in one frame; `reset` when the ring no longer holds all of it. */
  #sendMissed(reader: Reader, revision: number): void {
    const id = this.#id(this.#ring.newestRevision);
    const missed = this.#ring.findAfter(revision);
    const bytes = missed
      ? new FrameEncoder(id, coalesceChanges(missed)).encode(reader.topics)
      : encodeReset(id);
    if (bytes) reader.controller.enqueue(bytes);
  }

  #sendHeartbeats(): void {
    const bytes = encodeHeartbeat(this.#id(this.#ring.newestRevision));
    for (const reader of this.#readers) {
      if (reader.servedRevision === null && !reader.isSlow) reader.controller.enqueue(bytes);
    }
    this.#scheduleHeartbeat();
  }

  #scheduleHeartbeat(): void {
    this.#heartbeatTimer = this.#clock.setTimeout(() => this.#sendHeartbeats(), this.#heartbeatMs);
  }

  #add(reader: Reader): void {
    this.#readers.add(reader);
    if (!this.#heartbeatTimer) this.#scheduleHeartbeat();
  }

  /** Whether it was still there. */
  #remove(reader: Reader): boolean {
    const wasThere = this.#readers.delete(reader);
    if (this.#readers.size === 0) {
      this.#heartbeatTimer?.cancel();
      this.#heartbeatTimer = null;
    }
    return wasThere;
  }

  #id(revision: number): EventId {
    return { epoch: this.#epoch, revision };
  }
}
