import type { CopyBatch, CopyEvent } from '../copy-events';
import { CopyBuffer } from './copy-buffer';

/** What one event takes beside its bytes, about. */
const eventBytes = 200;
/** Ends of streams that are kept for the next one who records. */
const maxEndsKept = 10_000;

export interface CopyQueueOptions {
  /** Of copies that are not taken yet. */
  readonly maxBytes?: number;
  /** Runs it soon: all that came until then goes as one batch. */
  readonly schedule?: (flush: () => void) => void;
}

export type PostBatch = (batch: CopyBatch, transfer: readonly ArrayBuffer[]) => void;

/** Copies of one stream that were on their way when nobody was there any more to take them. */
export interface LostCopies {
  messages: number;
  bytes: number;
  readonly from: number;
}

/**
 * Copies on their way to the thread that records. It is bounded: who has a copy asks first, and drops it where there is
 * no room; a stream never waits. While nobody is there to take copies it has no room at all.
 */
export class CopyQueue {
  #events: CopyEvent[] = [];
  readonly #chunks = new CopyBuffer();
  /** Events of batches that are not taken yet, in order: what is lost when nobody takes them. */
  #sent: Pick<CopyBatch, 'events' | 'cost'>[] = [];
  #sentCost = 0;
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

  /** Who took the copies is gone. Answers what is lost, by stream; ends of streams are kept for the next one. */
  disconnect(): Map<string, LostCopies> {
    const lost = new Map<string, LostCopies>();
    const all = [...this.#sent.flatMap(({ events }) => events), ...this.#events];
    for (const event of all) {
      if (event.kind !== 'data') continue;
      const known = lost.get(event.streamId);
      const { messages = 0, bytes = 0, from = event.at } = known ?? {};
      lost.set(event.streamId, {
        messages: messages + event.messages,
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

  /** Is there somebody who takes copies? */
  get isConnected(): boolean {
    return this.#post !== undefined;
  }

  get heldBytes(): number {
    return this.#sentCost + this.#waitingCost;
  }

  hasRoom(sizeBytes: number): boolean {
    return this.#post !== undefined && this.heldBytes + sizeBytes + eventBytes <= this.#maxBytes;
  }

  /** After a lack of room it is worth beginning again here, and not at the first free byte. */
  get isRelaxed(): boolean {
    return this.#post !== undefined && this.heldBytes <= this.#maxBytes / 2;
  }

  /** `bytes` are copied: they are a view of a buffer that will be used again. */
  push(event: CopyEvent, bytes?: Uint8Array): void {
    if (this.#post === undefined && (!isEnd(event) || this.#events.length >= maxEndsKept)) return;
    this.#events.push(event);
    if (bytes !== undefined) this.#chunks.add(bytes);
    this.#flushSoon();
  }

  /** The oldest batch that was not taken yet has been dealt with. */
  taken(): void {
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
