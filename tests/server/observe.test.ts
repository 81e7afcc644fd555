import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '@/server/observe';

const dayMs = 24 * 60 * 60 * 1_000;

describe("systemClock's timers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([1, 24, 25, 60, 365])('one of %d days fires after them, and once', (days) => {
    const fired = vi.fn();
    systemClock.setTimeout(fired, days * dayMs);
    vi.advanceTimersByTime(days * dayMs - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a long timer can be cancelled while it runs', () => {
    const fired = vi.fn();
    const timer = systemClock.setTimeout(fired, 60 * dayMs);
    vi.advanceTimersByTime(30 * dayMs);
    timer.cancel();
    vi.advanceTimersByTime(60 * dayMs);
    expect(fired).not.toHaveBeenCalled();
  });
});
