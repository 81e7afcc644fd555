import { describe, expect, test } from 'vitest';
import { NackPacing } from '@/server/collect/xds/stream/delayed-answers';
import { StreamBackoff } from '@/server/collect/xds/stream/stream-backoff';

describe('StreamBackoff (gRFC A57)', () => {
  const silent = { isFailure: true, livedMs: 10 };

  test('grows by 1.6 from 1 s for streams without a response, up to 120 s', () => {
    const backoff = new StreamBackoff(() => 0.5);
    const delays = Array.from({ length: 13 }, () => Math.round(backoff.nextDelayMs(silent)));
    expect(delays).toEqual([
      1000, 1600, 2560, 4096, 6554, 10_486, 16_777, 26_844, 42_950, 68_719, 109_951, 120_000, 120_000,
    ]);
  });

  test('replaces a stream that had a response at once, and resets the back-off', () => {
    const backoff = new StreamBackoff(() => 0.5);
    backoff.nextDelayMs(silent);
    backoff.nextDelayMs(silent);
    expect(backoff.nextDelayMs({ isFailure: false, livedMs: 60_000 })).toBe(0);
    expect(backoff.nextDelayMs(silent)).toBe(1_000);
  });

  test('opens at most one stream a second to a server that answers and closes streams', () => {
    expect(new StreamBackoff(() => 0.5).nextDelayMs({ isFailure: false, livedMs: 30 })).toBe(970);
  });

  test('does not wait longer after the clock was set back', () => {
    expect(new StreamBackoff(() => 0.5).nextDelayMs({ isFailure: false, livedMs: -3_600_000 })).toBe(1_000);
  });
});

describe('NackPacing', () => {
  test('sends the first NACK at once, and delays repetitions longer each time', () => {
    const pacing = new NackPacing();
    const delays = Array.from({ length: 9 }, () => pacing.nextDelayMs('CDS', 'v1', 'broken'));
    expect(delays).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('does not delay another version, reason or type', () => {
    const pacing = new NackPacing();
    pacing.nextDelayMs('CDS', 'v1', 'broken');
    expect(pacing.nextDelayMs('CDS', 'v2', 'broken')).toBe(0);
    expect(pacing.nextDelayMs('CDS', 'v2', 'broken otherwise')).toBe(0);
    expect(pacing.nextDelayMs('EDS', 'v2', 'broken otherwise')).toBe(0);
  });

  test('delays changing versions by a second after 20 NACKs in a row', () => {
    const pacing = new NackPacing();
    const delayOf = (round: number): number => pacing.nextDelayMs('CDS', `v${round}`, 'broken');
    const delays = Array.from({ length: 22 }, (_, round) => delayOf(round));
    expect(delays).toEqual([...new Array(20).fill(0), 1_000, 1_000]);
    pacing.forget('CDS');
    expect(delayOf(22)).toBe(0);
  });

  test('restarts after an ACK', () => {
    const pacing = new NackPacing();
    pacing.nextDelayMs('CDS', 'v1', 'broken');
    pacing.forget('CDS');
    expect(pacing.nextDelayMs('CDS', 'v1', 'broken')).toBe(0);
  });
});
