import { describe, expect, it } from 'vitest';
import { clientKey } from '@/app/_ask/client-subject';
import { FetchOverlap } from '@/app/_stream/fetch-overlap';
import { Invalidator } from '@/app/_stream/invalidator';
import type { StreamChange } from '@/lib/api/stream';

const change = (clientId: string): StreamChange => ({ type: 'client-removed', clientId });

describe('FetchOverlap', () => {
  it('returns the changes that arrived while a query was fetched', () => {
    const overlap = new FetchOverlap();
    overlap.record([change('before')]);
    overlap.follow('q', true);
    overlap.record([change('during')]);
    expect(overlap.follow('q', false)).toEqual([change('during')]);
    expect(overlap.follow('q', false)).toEqual([]);
  });

  it('serves queries that overlap each other', () => {
    const overlap = new FetchOverlap();
    overlap.follow('long', true);
    overlap.record([change('1')]);
    overlap.follow('short', true);
    overlap.record([change('2')]);
    expect(overlap.follow('short', false)).toEqual([change('2')]);
    overlap.record([change('3')]);
    expect(overlap.follow('long', false)).toEqual([change('1'), change('2'), change('3')]);
  });

  it('drops what came before the oldest running fetch, though some fetch always runs', () => {
    const overlap = new FetchOverlap();
    overlap.follow('0', true);
    for (let turn = 1; turn <= 10_000; turn++) {
      overlap.record([change(String(turn))]);
      overlap.follow(String(turn), true);
      expect(overlap.follow(String(turn - 1), false)).toEqual([change(String(turn))]);
      expect(overlap.size).toBe(0);
    }
  });

  it('ignores queries that it never saw start', () => {
    expect(new FetchOverlap().follow('q', false)).toEqual([]);
  });
});

describe('Invalidator', () => {
  function setUp() {
    const reads: string[] = [];
    const finish: (() => void)[] = [];
    const timers: (() => void)[] = [];
    const pausesMs: number[] = [];
    const time = { now: 0 };
    const invalidator = new Invalidator(
      (key) => {
        reads.push(String(key));
        return new Promise<void>((resolve) => finish.push(resolve));
      },
      {
        now: () => time.now,
        setTimeout: (callback, delayMs) => {
          timers.push(callback);
          pausesMs.push(delayMs);
        },
      },
    );
    return { reads, finish, timers, pausesMs, time, invalidator };
  }

  it('reads at once, one reading at a time, and once more after a change meanwhile', async () => {
    const { reads, finish, timers, invalidator } = setUp();
    invalidator.invalidate(['graph']);
    invalidator.invalidate(['graph']);
    invalidator.invalidate(['graph']);
    expect(reads).toEqual(['graph']);
    finish.shift()?.();
    await Promise.resolve();
    expect(reads).toEqual(['graph']);
    timers.shift()?.();
    expect(reads).toEqual(['graph', 'graph']);
  });

  it('pauses after a read without further changes', async () => {
    const { reads, finish, timers, invalidator } = setUp();
    invalidator.invalidate(['graph']);
    finish.shift()?.();
    await Promise.resolve();
    timers.shift()?.();
    expect(reads).toEqual(['graph']);
  });

  it('pauses longer where a whole history is read: after the tears of a client', async () => {
    const { finish, pausesMs, invalidator } = setUp();
    for (const key of [clientKey('a', 'resolved'), clientKey('a', 'tears')]) {
      invalidator.invalidate(key);
      finish.shift()?.();
      await Promise.resolve();
    }
    expect(pausesMs).toEqual([500, 10_000]);
  });

  it('pauses longer after a slow read, at most 10 s', async () => {
    const { finish, timers, pausesMs, time, invalidator } = setUp();
    for (const tookMs of [100, 900, 60_000]) {
      invalidator.invalidate(['graph']);
      time.now += tookMs;
      finish.shift()?.();
      await Promise.resolve();
      timers.shift()?.();
    }
    expect(pausesMs).toEqual([500, 3_600, 10_000]);
  });

  it('hurry() ends the pause, and repeats a running read', async () => {
    const { reads, finish, timers, time, invalidator } = setUp();
    invalidator.invalidate(['graph']);
    time.now += 5_000;
    finish.shift()?.();
    await Promise.resolve();
    invalidator.hurry(['graph']);
    expect(reads).toHaveLength(2);
    // The timer of the rest that was cut short ends nothing of the new reading.
    timers.shift()?.();
    invalidator.invalidate(['graph']);
    expect(reads).toHaveLength(2);
    invalidator.hurry(['graph']);
    finish.shift()?.();
    await Promise.resolve();
    expect(reads).toHaveLength(3);
    finish.shift()?.();
    await Promise.resolve();
    expect(timers).toHaveLength(1);
  });

  it('keeps keys apart', () => {
    const { reads, invalidator } = setUp();
    invalidator.invalidate(['graph']);
    invalidator.invalidate(['links']);
    expect(reads).toEqual(['graph', 'links']);
  });
});
