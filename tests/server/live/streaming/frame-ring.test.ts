import { describe, expect, it } from 'vitest';
import { FrameRing } from '@/server/live/streaming/frame-ring';
import { clientChange, eventChange, rowOf, rowsChange } from '@/tests/support/builders/stream-changes';

describe('FrameRing', () => {
  it('returns the changes after a revision, oldest first', () => {
    const ring = new FrameRing({ maxFrames: 10, maxBytes: 1e6 });
    ring.push([clientChange('a')]);
    ring.push([clientChange('b'), eventChange(1)]);
    ring.push([clientChange('c')]);
    expect(ring.newestRevision).toBe(3);
    expect(ring.findAfter(1)).toEqual([clientChange('b'), eventChange(1), clientChange('c')]);
    expect(ring.findAfter(3)).toEqual([]);
    expect(ring.findAfter(0)).toHaveLength(4);
  });

  it('returns undefined for dropped and for future revisions', () => {
    const ring = new FrameRing({ maxFrames: 2, maxBytes: 1e6 });
    for (let seq = 0; seq < 5; seq++) ring.push([eventChange(seq)]);
    expect(ring.findAfter(2)).toBeUndefined();
    expect(ring.findAfter(3)).toHaveLength(2);
    expect(ring.findAfter(6)).toBeUndefined();
  });

  it('is bounded in bytes, one giant frame included', () => {
    const ring = new FrameRing({ maxFrames: 1000, maxBytes: 20_000 });
    for (let seq = 0; seq < 100; seq++) ring.push([eventChange(seq, 'x'.repeat(500))]);
    expect(ring.findAfter(80)).toHaveLength(20);
    expect(ring.findAfter(79)).toBeUndefined();
    ring.push([
      rowsChange(
        'a',
        Array.from({ length: 100 }, (_, index) => rowOf(`r${index}`)),
      ),
    ]);
    expect(ring.findAfter(100)).toBeUndefined();
    expect(ring.findAfter(101)).toEqual([]);
    ring.push([clientChange('a')]);
    expect(ring.findAfter(101)).toEqual([clientChange('a')]);
  });
});
