import type { CopyBatch, CopyEvent } from '../copy-events';

/** The approximate size of an event without its bytes. */
const eventBytes = 200;
/** Limits the ends of streams that are kept for the next recording thread. */
const maxEndsKept = 10_000;

interface CopyQueueOptions {
  /** Limits the copies that are not acknowledged. */
  readonly maxBytes?: number;
  /** Calls `flush` later. Everything that is pushed until then is one batch. */
  readonly schedule?: (flush: () => void) => void;
}

type PostBatch = (batch: CopyBatch, transfer: readonly ArrayBuffer[]) => void;

/** The copies of one stream that were not acknowledged when the recording thread ended. */
export interface LostCopies {
  messages: number;
  bytes: number;
  readonly from: number;
}

/**
 * The bounded queue of copies to the recording thread. The caller drops a copy if hasRoom() is false, so that streams never
 * wait. Without a recording thread there is no room.
 */
export class CopyQueue {
  #events: CopyEvent[] = [];
  readonly #chunks = new CopyBuffer();
  /** The batches that are not acknowledged, in order. They are lost if the recording thread ends. */
  #sent: Pick<CopyBatch, 'events' | 'cost'>[] = [];
  #sentCost = 0;
  #reservedBytes = 0;
  #isScheduled = false;
  #post: PostBatch | undefined;
  readonly #maxBytes: number;
  readonly #schedule: (flush: () => void) => void;

  constructor({ maxBytes = 32 * 1024 * 1024, schedule = setImmediate }: CopyQueueOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#schedule = schedule;
  }

  connect(post: PostBatch): void {
    this.#post = post;
    if (this.#events.length > 0) this.#flushSoon();
  }

  /** Must be called when the recording thread has ended. Returns the lost copies by stream, without ends. */
  disconnect(): Map<string, LostCopies> {
    const lost = new Map<string, LostCopies>();
    const all = [...this.#sent.flatMap(({ events }) => events), ...this.#events];
    for (const event of all) {
      if (event.kind !== 'data') continue;
      const known = lost.get(event.streamId);
      const { messages = 0, bytes = 0, from = event.at } = known ?? {};
      lost.set(event.streamId, {
        messages: messages + event.messages * (event.repeats ?? 1),
        bytes: bytes + event.sizeBytes,
        from,
      });
    }
    this.#post = undefined;
    this.#sent = [];
    this.#sentCost = 0;
    this.#chunks.clear();
    this.#events = all.filter(isEnd).slice(-maxEndsKept);
    return lost;
  }

  get isConnected(): boolean {
    return this.#post !== undefined;
  }

  get heldBytes(): number {
    return this.#sentCost + this.#waitingCost + this.#reservedBytes;
  }

  hasRoom(sizeBytes: number): boolean {
    return this.#post !== undefined && this.heldBytes + sizeBytes + eventBytes <= this.#maxBytes;
  }

  /** States whether copying may resume after a lack of room: half of the queue must be free. */
  get isRelaxed(): boolean {
    return this.#post !== undefined && this.heldBytes <= this.#maxBytes / 2;
  }

  /** States whether the recording thread falls behind, so that equal messages should be merged. */
  get isPressed(): boolean {
    return this.heldBytes > this.#maxBytes / 8;
  }

  /** Counts bytes that streams hold back, and that they will push. */
  reserve(sizeBytes: number): void {
    this.#reservedBytes += sizeBytes;
  }

  /** `bytes` are copied, because they are a view of a reused buffer. */
  push(event: CopyEvent, bytes?: Uint8Array): void {
    if (this.#post === undefined && (!isEnd(event) || this.#events.length >= maxEndsKept)) return;
    this.#events.push(event);
    if (bytes !== undefined) this.#chunks.add(bytes);
    this.#flushSoon();
  }

  /** Must be called when the oldest batch is processed. */
  acknowledge(): void {
    this.#sentCost -= this.#sent.shift()?.cost ?? 0;
  }

  get #waitingCost(): number {
    return this.#chunks.length + this.#events.length * eventBytes;
  }

  #flushSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const post = this.#post;
    if (post === undefined || this.#events.length === 0) return;
    const cost = this.#waitingCost;
    const batch = { events: this.#events, bytes: this.#chunks.take(), cost };
    this.#events = [];
    this.#sent.push({ events: batch.events, cost: batch.cost });
    this.#sentCost += batch.cost;
    post(batch, [batch.bytes]);
  }
}

function isEnd({ kind }: CopyEvent): boolean {
  return kind === 'closed' || kind === 'tap-closed';
}

const minReservedBytes = 512;
/** Limits a reservation. A larger batch grows the buffer. */
const maxReservedBytes = 1024 * 1024;

/** Concatenates chunks in one buffer that is transferred as a whole. Each chunk is copied once. */
class CopyBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;
  #reserve = minReservedBytes;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns the added bytes, with unused space behind them, and begins an empty buffer. */
  take(): ArrayBuffer {
    const { buffer } = this.#bytes;
    const wanted = Math.max(minReservedBytes, this.#length);
    // The reservation shrinks slowly, because a small batch may be followed by a large one.
    this.#reserve = Math.min(maxReservedBytes, Math.max(wanted, Math.ceil(this.#reserve / 2)));
    this.clear();
    return buffer;
  }

  clear(): void {
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, this.#reserve, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
