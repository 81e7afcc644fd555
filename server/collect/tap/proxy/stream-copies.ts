import { performance } from 'node:perf_hooks';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from '../copy-events';
import { recordedMethod } from '../recorded-paths';
import type { CopyQueue, LostCopies } from './copy-queue';
import { FrameCursor } from './frame-cursor';
import { type Copy, RepeatedPairs } from './repeated-pairs';

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
  readonly #options: StreamCopiesOptions;
  readonly #up = new FrameCursor();
  readonly #down = new FrameCursor();
  #gap: Gap | null = null;
  #responseEncoding = '';
  #pausedFor = '';
  /** Only in state of the world does a management server answer a NACK with the same resources. */
  readonly #isMergeable: boolean;
  readonly #merger = new CopyMerger();
  #reservedBytes = 0;
  #isFirstRequest = true;
  #firstBytes = 0;

  constructor(options: StreamCopiesOptions) {
    this.#options = options;
    this.#isMergeable = recordedMethod(options.path)?.isDelta === false;
    this.#announce(false);
  }

  responseEncoding(encoding: string): void {
    if (encoding === '') return;
    this.#responseEncoding = encoding;
    const { streamId, queue, now } = this.#options;
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
      if (this.#options.queue.hasRoom(chunk.length)) {
        this.#copy(direction, chunk);
        return;
      }
      this.#openGap(this.#options.queue.isConnected ? noRoom : recordingLost);
    }
    this.#drop(direction, chunk);
  }

  /** Must be called periodically: passes on merged messages, and reports a gap that is over on a stream without traffic. */
  reportGap(): void {
    const merger = this.#merger;
    if (merger.isActive) this.#push(this.#options.queue.isPressed ? merger.flush() : merger.release());
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
    this.#push(this.#merger.release());
    this.#emitGap();
    const { streamId, queue, now } = this.#options;
    queue.push({ kind: 'closed', streamId, code, details, at: now() });
  }

  #announce(isLate: boolean): void {
    const { streamId, tap, path, peer, server, encoding, queue, now } = this.#options;
    const reported = { streamId, tap, path, peer, server, encoding, at: now() };
    queue.push({ kind: 'opened', ...reported, ...(isLate && { isLate }) });
  }

  #cursorOf(direction: Direction): FrameCursor {
    return direction === 'up' ? this.#up : this.#down;
  }

  #copy(direction: Direction, chunk: Uint8Array): void {
    const { queue, now } = this.#options;
    const cursor = this.#cursorOf(direction);
    const begins = cursor.isAtBoundary;
    const messages = cursor.readAll(chunk);
    const clockMs = performance.timeOrigin + performance.now();
    const copy: Copy = { direction, bytes: chunk, messages, clockMs, at: now() };
    if (!this.#merger.isActive && !(this.#isMergeable && queue.isPressed)) this.#push([copy]);
    else this.#push(this.#merger.take(copy, { begins, ends: cursor.isAtBoundary }));
  }

  #push(copies: readonly Copy[]): void {
    const { streamId, queue } = this.#options;
    for (const { bytes, repeats, ...copy } of copies) {
      const isMerged = repeats === undefined ? {} : { repeats };
      queue.push({ kind: 'data', streamId, sizeBytes: bytes.length, ...copy, ...isMerged }, bytes);
    }
    const { heldBytes } = this.#merger;
    queue.reserve(heldBytes - this.#reservedBytes);
    this.#reservedBytes = heldBytes;
  }

  /** Incomplete messages count as dropped. */
  #openGap(reason: string): Gap {
    const { queue, now } = this.#options;
    const begun = [this.#up, this.#down].filter(({ isAtBoundary }) => !isAtBoundary).length;
    const gap: Gap = { messages: begun, bytes: 0, from: now(), reason };
    const held = this.#merger.release();
    for (const { bytes, repeats = 0 } of queue.isConnected ? [] : held) {
      gap.messages += repeats;
      gap.bytes += bytes.length * repeats;
    }
    this.#push(held);
    this.#gap = gap;
    return gap;
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
    const { queue } = this.#options;
    if (!this.#up.isAtBoundary || !this.#down.isAtBoundary || this.#pausedFor !== '') return false;
    return queue.isRelaxed && queue.hasRoom(sizeBytes);
  }

  #emitGap(): void {
    const gap = this.#gap;
    this.#gap = null;
    if (gap === null || gap.messages === 0) return;
    const { streamId, queue, now, onDropped } = this.#options;
    onDropped(gap.messages);
    queue.push({ kind: 'gap', streamId, at: now(), ...gap });
  }
}

/** Larger messages are not compared. */
const maxMessageBytes = 1024 * 1024;

/**
 * Holds back the copies of one stream while recording falls behind, and merges equal pairs of a response and its NACK. What
 * is passed on keeps its order within each type.
 */
class CopyMerger {
  #pairs = new RepeatedPairs();
  /** The begin of an incomplete message. */
  readonly #begun: Readonly<Record<Direction, Copy[]>> = { up: [], down: [] };
  isActive = false;

  get heldBytes(): number {
    return this.#pairs.heldBytes + bytesOf(this.#begun.up) + bytesOf(this.#begun.down);
  }

  /** `begins`, `ends`: a message begins at the first byte, and ends at the last one. Returns the copies to pass on. */
  take(copy: Copy, { begins, ends }: { readonly begins: boolean; readonly ends: boolean }): readonly Copy[] {
    this.isActive = true;
    const begun = this.#begun[copy.direction];
    const isPart = begins ? copy.messages === 1 : copy.messages === 0 && begun.length > 0;
    if (!isPart || bytesOf(begun) + copy.bytes.length > maxMessageBytes)
      return [...this.#pairs.release(), ...begun.splice(0), copy];
    // The bytes are a view of a buffer that is used again.
    begun.push({ ...copy, bytes: Uint8Array.from(copy.bytes) });
    return ends ? this.#pairs.take({ ...copy, messages: 1, bytes: joined(begun.splice(0)) }) : [];
  }

  /** Returns the merged pairs and continues. */
  flush(): readonly Copy[] {
    return this.#pairs.flush();
  }

  /** Returns all that is held back, and ends merging. */
  release(): readonly Copy[] {
    this.isActive = false;
    return [...this.#pairs.release(), ...this.#begun.up.splice(0), ...this.#begun.down.splice(0)];
  }
}

function bytesOf(copies: readonly Copy[]): number {
  return copies.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function joined(copies: readonly Copy[]): Uint8Array {
  const [first] = copies;
  return copies.length === 1 && first !== undefined
    ? first.bytes
    : Buffer.concat(copies.map(({ bytes }) => bytes));
}
