import { expect, test } from 'vitest';
import type { HistoryDensity } from '@/lib/views/history/schema';
import { firstMoment, stepInstant } from '@/lib/views/history/timeline-moments';
import { historyMarks } from '../../../support/builders/history-marks';

test('firstMoment is that of the first event', () => {
  expect(firstMoment(historyMarks([{ at: 1_000.5, kind: 'ack-sent' }]))).toBe(1_001);
  expect(firstMoment({ ...historyMarks([]), to: 7 })).toBe(7);
});

test('firstMoment of counts is the end of the first slice with events', () => {
  const slices = { kind: 'density', from: 0, to: 900, bucketMs: 100, total: 1 } as const;
  const counted = (at: number): HistoryDensity => ({
    ...slices,
    gaps: [],
    buckets: [{ at, typeUrl: '', counts: { 'ack-sent': 1 } }],
  });
  expect(firstMoment(counted(300))).toBe(400);
  expect(firstMoment(counted(850))).toBe(900);
  expect(firstMoment({ ...slices, gaps: [], buckets: [] })).toBe(900);
});

test('stepInstant leads to the whole millisecond that holds the event next to a moment, and to none beyond the ends', () => {
  const marks = historyMarks([
    { at: 1_000, kind: 'request-sent' },
    { at: 1_000, kind: 'response-received' },
    { at: 1_200.5, kind: 'ack-sent' },
  ]);
  expect(stepInstant(marks, 1_100, 'older')).toBe(1_000);
  expect(stepInstant(marks, 1_100, 'newer')).toBe(1_201);
  expect(stepInstant(marks, 1_201, 'older')).toBe(1_000);
  expect(stepInstant(marks, 1_000, 'older')).toBeUndefined();
  expect(stepInstant(marks, 1_201, 'newer')).toBeUndefined();
});

test('stepInstant of counts returns the end of the next slice with events', () => {
  const counted: HistoryDensity = {
    ...{ kind: 'density', from: 0, to: 900, bucketMs: 100, total: 2, gaps: [] },
    // Buckets are in order within each type only.
    buckets: [700, 300].map((at) => ({ at, typeUrl: '', counts: { 'ack-sent': 1 } })),
  };
  expect(stepInstant(counted, 500, 'older')).toBe(400);
  expect(stepInstant(counted, 500, 'newer')).toBe(800);
});
