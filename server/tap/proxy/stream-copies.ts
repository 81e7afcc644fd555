import { performance } from 'node:perf_hooks';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from '../copy-events';
import type { CopyQueue, LostCopies } from './copy-queue';
import { FrameCursor } from './frame-cursor';

export interface StreamCopiesOptions {
  readonly streamId: string;
  readonly tap: number;
  readonly path: string;
  readonly peer: string;
  readonly server: string;
  /** grpc-encoding of what the client sends. */
  readonly encoding: string;
  readonly queue: CopyQueue;
  readonly now: () => EpochMs;
  readonly onDropped: (messages: number) => void;
}

interface Gap {
  messages: number;
  bytes: number;
  readonly from: EpochMs;
  readonly reason: string;
}

/** The first request is copied even where there is no room, if it is no larger. */
const firstRequestBytes = 64 * 1024;
const noRoom = 'recording could not keep up';
const recordingLost = 'what records began anew';

/**
 * Copies of one stream of xDS. Where there is no room for one, all of both directions is dropped from there on, until
 * there is room again and both are between two messages; then the gap is reported.
 */
export class StreamCopies {
  readonly #up = new FrameCursor();
  readonly #down = new FrameCursor();
  #gap: Gap | null = null;
  #responseEncoding = '';
  #pausedFor = '';
  #isFirstRequest = true;
  #firstBytes = 0;

  constructor(private readonly options: StreamCopiesOptions) {
    this.#announce(false);
  }

  responseEncoding(encoding: string): void {
    if (encoding === '') return;
    this.#responseEncoding = encoding;
    const { streamId, queue, now } = this.options;
    queue.push({ kind: 'response-encoding', streamId, encoding, at: now() });
  }

  data(direction: Direction, chunk: Uint8Array): void {
    // Who the client is stands there alone; for all that comes later it has to be known.
    if (this.#isFirstRequest && direction === 'up') {
      this.#firstBytes += chunk.length;
      if (this.#firstBytes <= firstRequestBytes) this.#copy(direction, chunk);
      else this.#copyOrDrop(direction, chunk);
      this.#isFirstRequest = !this.#up.isAtBoundary && this.#firstBytes <= firstRequestBytes;
      return;
    }
    this.#copyOrDrop(direction, chunk);
  }

  #copyOrDrop(direction: Direction, chunk: Uint8Array): void {
    if (this.#gap === null) {
      if (this.options.queue.hasRoom(chunk.length)) {
        this.#copy(direction, chunk);
        return;
      }
      this.#openGap(this.options.queue.isConnected ? noRoom : recordingLost);
    }
    this.#drop(direction, chunk);
  }

  /** To be called now and then: of a stream on which nothing passes any more, a gap that is over is reported by this alone. */
  settle(): void {
    if (this.#gap !== null && this.#mayGoOn(0)) this.#emitGap();
  }

  /** Copies are not wanted for a while, for this reason. */
  pause(reason: string): void {
    this.#pausedFor = reason;
    if (this.#gap === null) this.#openGap(reason);
  }

  resume(): void {
    this.#pausedFor = '';
  }

  /** There is a new thread that records, which knows nothing; `lost` is what the one before left undone. */
  renew(lost: LostCopies | undefined): void {
    this.#announce(true);
    this.responseEncoding(this.#responseEncoding);
    const gap = this.#gap ?? this.#openGap(recordingLost);
    if (lost === undefined) return;
    const { messages, bytes, from } = lost;
    this.#gap = { reason: gap.reason, messages: gap.messages + messages, bytes: gap.bytes + bytes, from };
  }

  close(code: string, details: string): void {
    this.#emitGap();
    const { streamId, queue, now } = this.options;
    queue.push({ kind: 'closed', streamId, code, details, at: now() });
  }

  #announce(isLate: boolean): void {
    const { streamId, tap, path, peer, server, encoding, queue, now } = this.options;
    const reported = { streamId, tap, path, peer, server, encoding, at: now() };
    queue.push({ kind: 'opened', ...reported, ...(isLate && { isLate }) });
  }

  #cursorOf(direction: Direction): FrameCursor {
    return direction === 'up' ? this.#up : this.#down;
  }

  #copy(direction: Direction, chunk: Uint8Array): void {
    const { streamId, queue, now } = this.options;
    const messages = this.#cursorOf(direction).takeAll(chunk);
    const clockMs = performance.timeOrigin + performance.now();
    const reported = { streamId, direction, sizeBytes: chunk.length, messages, clockMs, at: now() };
    queue.push({ kind: 'data', ...reported }, chunk);
  }

  /** What was copied of a message that has not ended is in vain. */
  #openGap(reason: string): Gap {
    const begun = [this.#up, this.#down].filter(({ isAtBoundary }) => !isAtBoundary).length;
    this.#gap = { messages: begun, bytes: 0, from: this.options.now(), reason };
    return this.#gap;
  }

  /** Up to the boundary at which copying may go on; the rest is copied. */
  #drop(direction: Direction, chunk: Uint8Array): void {
    const cursor = this.#cursorOf(direction);
    let position = 0;
    while (position < chunk.length) {
      if (this.#mayGoOn(chunk.length - position)) {
        this.#emitGap();
        this.#copy(direction, chunk.subarray(position));
        return;
      }
      const begins = cursor.isAtBoundary ? 1 : 0;
      const step = cursor.take(chunk, position);
      position += step;
      if (this.#gap === null) continue;
      this.#gap.messages += begins;
      this.#gap.bytes += step;
    }
  }

  #mayGoOn(sizeBytes: number): boolean {
    const { queue } = this.options;
    if (!this.#up.isAtBoundary || !this.#down.isAtBoundary || this.#pausedFor !== '') return false;
    return queue.isRelaxed && queue.hasRoom(sizeBytes);
  }

  #emitGap(): void {
    const gap = this.#gap;
    this.#gap = null;
    if (gap === null || gap.messages === 0) return;
    const { streamId, queue, now, onDropped } = this.options;
    onDropped(gap.messages);
    queue.push({ kind: 'gap', streamId, at: now(), ...gap });
  }
}
