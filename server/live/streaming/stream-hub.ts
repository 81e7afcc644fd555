import { randomBytes } from 'node:crypto';
import type { StreamChange, StreamTopic } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '@/server/observe';
import { coalesceChanges } from './frame-coalescer';
import { FrameRing } from './frame-ring';
import {
  type EventId,
  encodeHeartbeat,
  encodeHello,
  encodeReset,
  FrameEncoder,
  parseEventId,
} from './sse-encoding';

interface StreamHubOptions {
  readonly clock: Clock;
  readonly frameMs?: number;
  /** Number of frames that are kept for browsers that reconnect or are slow. */
  readonly ringFrames?: number;
}

interface Subscription {
  readonly topics: readonly StreamTopic[];
  readonly lastEventId?: string;
  /** Ends the subscription, as does cancelling the stream. Both may happen. */
  readonly signal: AbortSignal;
}

/**
 * Sends the changes of the live state to the browsers. Changes are collected for 33 ms, coalesced by key, added to the
 * ring, and encoded once per combination of topics for every reader. A reader that was slow or reconnects gets what it
 * missed in one frame, or `reset`. A reader costs as much as the queue of its stream (64 KiB and one frame, whose bytes
 * all readers share): while it is slow, only its position in the ring is kept.
 */
export interface StreamHub {
  publish(change: StreamChange): void;
  /** Bytes of server-sent events, for the body of a Response. */
  subscribe(subscription: Subscription): ReadableStream<Uint8Array>;
  subscribers(): number;
  /** Returns whether a reader has subscribed to the topic. */
  hasSubscriber(topic: StreamTopic): boolean;
  /** Ends all streams; later calls have no effect, and later subscriptions end at once. */
  close(): void;
}

export function createStreamHub(options: StreamHubOptions): StreamHub {
  return new SseStreamHub(options);
}

const heartbeatMs = 15_000;
/** A reader with more unsent bytes is slow. */
const slowFromBytes = 64 * 1024;

class Reader {
  readonly topics: readonly StreamTopic[];
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The newest revision that was sent while the reader is slow, or null if it gets each frame. */
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
  readonly #ring: FrameRing;
  readonly #epoch = randomBytes(6).toString('hex');
  readonly #startedAt: EpochMs;
  readonly #readers = new Set<Reader>();
  #gathered: StreamChange[] = [];
  #frameTimer: { cancel(): void } | null = null;
  #heartbeatTimer: { cancel(): void } | null = null;
  #closed = false;

  constructor(options: StreamHubOptions) {
    this.#clock = options.clock;
    this.#frameMs = options.frameMs ?? 33;
    this.#ring = new FrameRing({
      maxFrames: options.ringFrames ?? 2000,
      maxBytes: 16 * 1024 * 1024,
    });
    this.#startedAt = this.#clock.now();
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
    // Closing a closed stream throws: only the code that removes the reader closes its stream.
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

  hasSubscriber(topic: StreamTopic): boolean {
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
   * The hello of a reader that resumes has the id after which it resumes, and not the newest one: if the connection
   * breaks before the next frame, no change is skipped.
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

  /** Sends the changes after `revision` in one frame, or `reset` if the ring no longer has all of them. */
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
    this.#heartbeatTimer = this.#clock.setTimeout(() => this.#sendHeartbeats(), heartbeatMs);
  }

  #add(reader: Reader): void {
    this.#readers.add(reader);
    if (!this.#heartbeatTimer) this.#scheduleHeartbeat();
  }

  /** Returns whether the reader was present. */
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
