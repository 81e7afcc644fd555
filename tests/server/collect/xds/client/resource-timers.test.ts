import { describe, expect, test } from 'vitest';
import { ResourceTimers } from '@/server/collect/xds/client/resource-timers';
import { ManualClock } from '../../../../support/recorder-manual-clock';

describe('ResourceTimers', () => {
  function timers() {
    const clock = new ManualClock();
    const expired: (readonly string[])[] = [];
    return { clock, expired, timers: new ResourceTimers(clock, (names) => expired.push(names)) };
  }

  test('names that are started together expire together, with one clock timer', () => {
    const { clock, expired, timers: each } = timers();
    each.start(
      Array.from({ length: 30_000 }, (_, index) => `c${index}`),
      15_000,
    );
    expect(clock.waiting).toBe(1);
    clock.advance(14_999);
    expect(expired).toEqual([]);
    clock.advance(1);
    expect(expired.map((names) => names.length)).toEqual([30_000]);
  });

  test('starting a running timer again does not extend it', () => {
    const { clock, expired, timers: each } = timers();
    each.start(['a'], 15_000);
    clock.advance(10_000);
    each.start(['a', 'b'], 15_000);
    clock.advance(5_000);
    expect(expired).toEqual([['a']]);
    clock.advance(10_000);
    expect(expired).toEqual([['a'], ['b']]);
  });

  test('a cancelled name does not expire and has its full time when it is started again', () => {
    const { clock, expired, timers: each } = timers();
    each.start(['a', 'b'], 15_000);
    clock.advance(10_000);
    each.cancel(['a']);
    each.start(['a'], 15_000);
    clock.advance(5_000);
    expect(expired).toEqual([['b']]);
    clock.advance(10_000);
    expect(expired).toEqual([['b'], ['a']]);
  });

  test('after stopAll nothing expires and no clock timer is left', () => {
    const { clock, expired, timers: each } = timers();
    each.start(['a'], 15_000);
    each.stopAll();
    expect(clock.waiting).toBe(0);
    clock.advance(60_000);
    expect(expired).toEqual([]);
  });

  test('a renewed name has its full time again, with one clock timer', () => {
    const { clock, expired, timers: each } = timers();
    each.renew(['a', 'b'], 5_000);
    clock.advance(4_000);
    each.renew(['a', 'b'], 5_000);
    expect(clock.waiting).toBe(1);
    clock.advance(4_000);
    each.renew(['a'], 5_000);
    clock.advance(1_000);
    expect(expired).toEqual([['b']]);
    clock.advance(4_000);
    expect(expired).toEqual([['b'], ['a']]);
    expect(each.isIdle).toBe(true);
  });
});
