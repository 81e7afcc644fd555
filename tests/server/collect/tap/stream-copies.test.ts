import { describe, expect, it } from 'vitest';
import type { CopyBatch, CopyEvent } from '@/server/collect/tap/copy-events';
import { CopyQueue } from '@/server/collect/tap/proxy/copy-queue';
import { StreamCopies } from '@/server/collect/tap/proxy/stream-copies';

/** A gRPC message of this size, including its prefix. */
function message(sizeBytes: number): Buffer {
  const frame = Buffer.alloc(sizeBytes);
  frame.writeUInt32BE(sizeBytes - 5, 1);
  return frame;
}

function start() {
  const reported: CopyEvent[] = [];
  const dropped: number[] = [];
  const flushes: (() => void)[] = [];
  let unacknowledged = 0;
  const queue = new CopyQueue({ maxBytes: 10_000, schedule: (flush) => flushes.push(flush) });
  queue.connect((batch: CopyBatch) => {
    reported.push(...batch.events);
    unacknowledged += 1;
  });
  const copies = new StreamCopies({
    ...{ streamId: 's', tap: 1, path: '/ads', peer: 'c:1', server: 's:1', encoding: 'identity', queue },
    now: () => 1_000,
    onDropped: (messages) => dropped.push(messages),
  });
  const flush = (): void => {
    for (const each of flushes.splice(0)) each();
  };
  const acknowledge = (): void => {
    flush();
    for (; unacknowledged > 0; unacknowledged -= 1) queue.acknowledge();
    flush();
  };
  const kinds = () => reported.map(({ kind }) => kind);
  return { reported, dropped, copies, flush, acknowledge, kinds };
}

describe('StreamCopies', () => {
  it('reports a gap that is over once, also without traffic', () => {
    const { reported, dropped, copies, flush, acknowledge, kinds } = start();
    copies.data('up', message(50));
    copies.data('down', message(9_000));
    copies.data('down', message(3_000));
    flush();
    copies.reportGap();
    flush();
    // The queue is not acknowledged, so that the gap continues.
    expect([kinds().includes('gap'), dropped]).toEqual([false, []]);
    acknowledge();
    copies.reportGap();
    copies.reportGap();
    acknowledge();
    expect(reported.filter(({ kind }) => kind === 'gap')).toMatchObject([{ messages: 1, bytes: 3_000 }]);
    expect(dropped).toEqual([1]);
    copies.data('down', message(100));
    acknowledge();
    expect(kinds().slice(-2)).toEqual(['gap', 'data']);
  });

  it('keeps a gap open in the middle of a message, and while recording is paused', () => {
    const { copies, dropped, acknowledge, kinds } = start();
    copies.data('up', message(50));
    copies.data('down', message(9_000));
    copies.data('down', message(3_000).subarray(0, 1_000));
    acknowledge();
    copies.reportGap();
    expect(dropped).toEqual([]);
    copies.pause('recording was paused');
    copies.data('down', message(3_000).subarray(1_000));
    acknowledge();
    copies.reportGap();
    expect(dropped).toEqual([]);
    copies.resume();
    copies.reportGap();
    acknowledge();
    expect(dropped).toEqual([1]);
    expect(kinds().at(-1)).toBe('gap');
  });
});
