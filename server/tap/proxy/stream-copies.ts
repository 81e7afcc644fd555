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

/** A first request of up to this size is copied even if there is no room, because only it identifies the client. */
const firstRequestBytes = 64 * 1024;
const noRoom = 'recording could not keep up';
const recordingLost = 'the recording thread was restarted';

/**
 * The copies of one recorded stream. If there is no room, both directions are dropped until there is room again and both are
 * between two messages. Then the gap is reported.
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

  /** Must be called periodically, to report a gap that is over on a stream without traffic. */
  reportGap(): void {
    if (this.#gap !== null && this.#mayResume(0)) this.#emitGap();
  }

  pause(reason: string): void {
    this.#pausedFor = reason;
    if (this.#gap === null) this.#openGap(reason);
  }

  resume(): void {
    this.#pausedFor = '';
  }

  /** Must be called for a new recording thread. `lost` are the copies that the previous one did not process. */
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
    const messages = this.#cursorOf(direction).readAll(chunk);
    const clockMs = performance.timeOrigin + performance.now();
    const reported = { streamId, direction, sizeBytes: chunk.length, messages, clockMs, at: now() };
    queue.push({ kind: 'data', ...reported }, chunk);
  }

  /** Incomplete messages count as dropped. */
  #openGap(reason: string): Gap {
    const begun = [this.#up, this.#down].filter(({ isAtBoundary }) => !isAtBoundary).length;
    this.#gap = { messages: begun, bytes: 0, from: this.options.now(), reason };
    return this.#gap;
  }

  /** Drops bytes up to the boundary at which copying may resume, and copies the rest. */
  #drop(direction: Direction, chunk: Uint8Array): void {
    const cursor = this.#cursorOf(direction);
    let position = 0;
    while (position < chunk.length) {
      if (this.#mayResume(chunk.length - position)) {
        this.#emitGap();
        this.#copy(direction, chunk.subarray(position));
        return;
      }
      const begins = cursor.isAtBoundary ? 1 : 0;
      const step = cursor.read(chunk, position);
      position += step;
      if (this.#gap === null) continue;
      this.#gap.messages += begins;
      this.#gap.bytes += step;
    }
  }

  #mayResume(sizeBytes: number): boolean {
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
