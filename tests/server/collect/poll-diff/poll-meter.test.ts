import { expect, it } from 'vitest';
import { PollMeter } from '@/server/collect/poll-diff/poll-meter';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

it('counts the time of requests that overlap once, and that of requests one after the other as their sum', async () => {
  const clock = new ManualClock();
  const meter = new PollMeter(clock);
  meter.beginPoll();
  const ends: (() => void)[] = [];
  const request = () =>
    meter.measure(
      () => new Promise<number>((resolve) => ends.push(() => resolve(10))),
      (bytes) => bytes,
    );
  const first = request();
  clock.advance(5);
  const second = request();
  clock.advance(20);
  ends[0]?.();
  await first;
  clock.advance(5);
  ends[1]?.();
  await second;
  expect(meter.poll).toMatchObject({ requests: 2, bytes: 20, tookMs: 30 });
  const third = request();
  clock.advance(7);
  ends[2]?.();
  await third;
  expect(meter.poll).toMatchObject({ requests: 3, tookMs: 37 });
});

it('counts no poll in which nothing was due', async () => {
  const meter = new PollMeter(new ManualClock());
  expect(meter.cost).toBeUndefined();
  meter.beginPoll();
  await meter.measure(
    async () => 10,
    (bytes) => bytes,
  );
  meter.beginPoll();
  meter.beginPoll();
  expect(meter.cost).toMatchObject({ polls: 1, requests: 1, newest: { requests: 1, bytes: 10 } });
});
