import type { StreamChange } from '@/lib/api/stream';

/** The changes of one 33 ms, coalesced. */
export interface RingFrame {
  readonly revision: number;
  readonly changes: readonly StreamChange[];
}

export interface FrameRingLimits {
  readonly maxFrames: number;
  /** Of memory, estimated: encoding what nobody may ever ask for would cost more than it reports. */
  readonly maxBytes: number;
}

/**
 * The newest frames. Revisions follow each other without holes, so a frame's place is found by counting.
 * Both a browser that comes back and a reader that is slow are served from here, so neither needs memory of its own.
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
    let gone = 0;
    while (this.#frames.length - gone > this.#limits.maxFrames || this.#bytes > this.#limits.maxBytes) {
      this.#bytes -= this.#frames[gone]?.bytes ?? 0;
      gone += 1;
    }
    if (gone > 0) this.#frames.splice(0, gone);
    return frame;
  }

  /** Everything after `revision`, oldest first; undefined when the ring no longer holds all of it. */
  findAfter(revision: number): StreamChange[] | undefined {
    const missed = this.#newest - revision;
    if (missed < 0 || missed > this.#frames.length) return undefined;
    return this.#frames.slice(this.#frames.length - missed).flatMap(({ frame }) => frame.changes);
  }
}

/** Rows and summaries are some 600 bytes to 2 kB of JSON, beside what came from outside at any length. */
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
