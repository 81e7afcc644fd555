import { expect, it } from 'vitest';
import { Backoff } from '@/server/transport/grpc/backoff';

it('Backoff grows by 1.6 up to its limit, and restarts after reset()', () => {
  const backoff = new Backoff({ initialMs: 1_000, maxMs: 3_000, random: () => 0.5 });
  expect([1, 2, 3, 4, 5].map(() => Math.round(backoff.nextDelayMs()))).toEqual([
    1_000, 1_600, 2_560, 3_000, 3_000,
  ]);
  backoff.reset();
  expect(backoff.nextDelayMs()).toBe(1_000);
});

it('Backoff has a jitter of 20%', () => {
  expect(new Backoff({ random: () => 0 }).nextDelayMs()).toBe(800);
  expect(new Backoff({ random: () => 1 }).nextDelayMs()).toBeCloseTo(1_200);
});
