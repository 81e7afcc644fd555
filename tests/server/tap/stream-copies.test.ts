import { describe, expect, it } from 'vitest';
import type { CopyBatch, CopyEvent } from '@/server/tap/copy-events';
import { CopyQueue } from '@/server/tap/proxy/copy-queue';
import { StreamCopies } from '@/server/tap/proxy/stream-copies';

/** A gRPC message of so many bytes, its head included. */
function message(sizeBytes: number): Buffer {
  const frame = Buffer.alloc(sizeBytes);
  frame.writeUInt32BE(sizeBytes - 5, 1);
  return frame;
}

function start() {
  const reported: CopyEvent[] = [];
  const dropped: number[] = [];
  const flushes: (() => void)[] = [];
  let untaken = 0;
  const queue = new CopyQueue({ maxBytes: 10_000, schedule: (flush) => flushes.push(flush) });
  queue.connect((batch: CopyBatch) => {
    reported.push(...batch.events);
    untaken += 1;
  });
  const copies = new StreamCopies({
    ...{ streamId: 's', tap: 1, path: '/ads', peer: 'c:1', server: 's:1', encoding: 'identity', queue },
    now: () => 1_000,
    onDropped: (messages) => dropped.push(messages),
  });
  const flush = (): void => {
    for (const each of flushes.splice(0)) each();
  };
  const take = (): void => {
    flush();
    for (; untaken > 0; untaken -= 1) queue.taken();
    flush();
  };
  const kinds = () => reported.map(({ kind }) => kind);
  return { reported, dropped, copies, flush, take, kinds };
}

describe('StreamCopies', () => {
  it('reports a gap that is over though nothing passes any more, once', () => {
    const { reported, dropped, copies, flush, take, kinds } = start();
    copies.data('up', message(50));
    copies.data('down', message(9_000));
    copies.data('down', message(3_000));
    flush();
    copies.settle();
    flush();
    // Nobody has taken what waits: the gap goes on.
    expect([kinds().includes('gap'), dropped]).toEqual([false, []]);
    take();
    copies.settle();
    copies.settle();
    take();
    expect(reported.filter(({ kind }) => kind === 'gap')).toMatchObject([{ messages: 1, bytes: 3_000 }]);
    expect(dropped).toEqual([1]);
    copies.data('down', message(100));
    take();
    expect(kinds().slice(-2)).toEqual(['gap', 'data']);
  });

  it('keeps a gap open in the middle of a message, and while copies are not wanted', () => {
    const { copies, dropped, take, kinds } = start();
    copies.data('up', message(50));
    copies.data('down', message(9_000));
    copies.data('down', message(3_000).subarray(0, 1_000));
    take();
    copies.settle();
    expect(dropped).toEqual([]);
    copies.pause('recording was paused');
    copies.data('down', message(3_000).subarray(1_000));
    take();
    copies.settle();
    expect(dropped).toEqual([]);
    copies.resume();
    copies.settle();
    take();
    expect(dropped).toEqual([1]);
    expect(kinds().at(-1)).toBe('gap');
  });
});
