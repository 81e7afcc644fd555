import type { StreamChange } from '@/lib/views/stream/schema';

/** The coalesced changes of one frame (33 ms). */
interface RingFrame {
  readonly revision: number;
  readonly changes: readonly StreamChange[];
}

interface FrameRingLimits {
  readonly maxFrames: number;
  /** Limits the memory, which is estimated, because encoding frames that may never be requested costs more. */
  readonly maxBytes: number;
}

/**
 * The newest frames. Revisions have no gaps, so that the position of a frame is computed. Browsers that
 * reconnect and slow readers are served from the ring and need no memory of their own.
 */
export class FrameRing {
  readonly #limits: FrameRingLimits;
  #frames: { readonly frame: RingFrame; readonly bytes: number }[] = [];
  #bytes = 0;
  #newest = 0;

  constructor(limits: FrameRingLimits) {
    this.#limits = limits;
  }

  get newestRevision(): number {
    return this.#newest;
  }

  push(changes: readonly StreamChange[]): RingFrame {
    this.#newest += 1;
    const frame = { revision: this.#newest, changes };
    const bytes = changes.reduce((sum, change) => sum + estimatedBytes(change), 0);
    this.#frames.push({ frame, bytes });
    this.#bytes += bytes;
    let removed = 0;
    while (this.#frames.length - removed > this.#limits.maxFrames || this.#bytes > this.#limits.maxBytes) {
      this.#bytes -= this.#frames[removed]?.bytes ?? 0;
      removed += 1;
    }
    if (removed > 0) this.#frames.splice(0, removed);
    return frame;
  }

  /** Returns all changes after `revision`, oldest first, or undefined if the ring no longer has all of them. */
  findAfter(revision: number): StreamChange[] | undefined {
    const missed = this.#newest - revision;
    if (missed < 0 || missed > this.#frames.length) return undefined;
    return this.#frames.slice(this.#frames.length - missed).flatMap(({ frame }) => frame.changes);
  }
}

/** Rows and summaries have some 600 bytes to 2 kB of JSON, besides texts of peers of any length. */
function estimatedBytes(change: StreamChange): number {
  switch (change.type) {
    case 'resources': {
      const rows = change.changed.reduce(
        (sum, row) => sum + 600 + row.name.length + (row.errorState?.details.length ?? 0),
        0,
      );
      return 100 + rows + change.removed.length * 200;
    }
    case 'client':
      return 2000 + change.client.nodeId.length + change.client.reports.length * 300;
    case 'event':
      return 500 + change.event.text.length;
    case 'source':
      return 1000 + (change.source.problem?.message.length ?? 0);
    case 'lab':
      return 5000;
    default:
      return 100;
  }
}
