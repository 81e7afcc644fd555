import type { QueryKey } from '@tanstack/react-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { clientKey } from '@/app/_ask/client-subject';
import { Invalidator } from '@/app/_stream/invalidator';
import { ManualClock } from '../../support/recorder-manual-clock';

describe('Invalidator', () => {
  let clock: ManualClock;
  let reads: QueryKey[];
  let finish: (() => void)[];
  let pausesMs: number[];
  let invalidator: Invalidator;

  beforeEach(() => {
    clock = new ManualClock(0);
    [reads, finish, pausesMs] = [[], [], []];
    const read = (key: QueryKey) => {
      reads.push(key);
      return new Promise<void>((resolve) => finish.push(resolve));
    };
    invalidator = new Invalidator(read, {
      now: () => clock.now(),
      setTimeout(callback, delayMs) {
        pausesMs.push(delayMs);
        clock.setTimeout(callback, delayMs);
      },
    });
  });

  /** Ends the oldest running reload. */
  async function finishRead(): Promise<void> {
    finish.shift()?.();
    await Promise.resolve();
  }

  it('reloads at once, one reload at a time, and once more if the data changed meanwhile', async () => {
    for (let turn = 0; turn < 3; turn++) invalidator.invalidate(['graph']);
    expect(reads).toHaveLength(1);
    await finishRead();
    expect(reads).toHaveLength(1);
    clock.advance(500);
    expect(reads).toEqual([['graph'], ['graph']]);
  });

  it('does not reload again without a change', async () => {
    invalidator.invalidate(['graph']);
    await finishRead();
    clock.advance(60_000);
    expect(reads).toHaveLength(1);
  });

  it('pauses 10 s after the config tears of a client, as they need the whole history', async () => {
    for (const key of [clientKey('a', 'resolved'), clientKey('a', 'tears')]) {
      invalidator.invalidate(key);
      await finishRead();
    }
    expect(pausesMs).toEqual([500, 10_000]);
  });

  it('pauses four times the duration of a slow reload, at most 10 s', async () => {
    for (const tookMs of [100, 900, 60_000]) {
      invalidator.invalidate(['graph']);
      clock.advance(tookMs);
      await finishRead();
      clock.advance(10_000);
    }
    expect(pausesMs).toEqual([500, 3_600, 10_000]);
  });

  it('hurry skips the pause, and follows a running reload with one more', async () => {
    invalidator.invalidate(['graph']);
    clock.advance(5_000);
    await finishRead();
    invalidator.hurry(['graph']);
    expect(reads).toHaveLength(2);
    // The timer of the skipped pause does not end the new reload.
    clock.advance(10_000);
    invalidator.invalidate(['graph']);
    expect(reads).toHaveLength(2);
    invalidator.hurry(['graph']);
    await finishRead();
    expect(reads).toHaveLength(3);
    await finishRead();
    expect(clock.waiting).toBe(1);
  });

  it('treats keys independently', () => {
    invalidator.invalidate(['graph']);
    invalidator.invalidate(['links']);
    expect(reads).toEqual([['graph'], ['links']]);
  });

  it.each([
    ['load once per second', ['load'], 11],
    ['load of one client once per second', ['client', 'c', 'load'], 11],
    ['other data twice per second', ['client', 'c', 'graph'], 21],
  ])('reloads %s while it changes all the time', async (_, key, count) => {
    for (let ms = 0; ms < 10_000; ms += 100) {
      invalidator.invalidate(key);
      await finishRead();
      await new Promise(setImmediate);
      clock.advance(100);
    }
    expect(reads).toHaveLength(count);
  });
});
