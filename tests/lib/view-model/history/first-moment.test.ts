import { expect, test } from 'vitest';
import type { HistoryDensity } from '@/lib/api/history';
import { firstMoment } from '@/lib/view-model/history/first-moment';
import { historyMarks } from '../../../support/history-marks';

test('firstMoment is that of the first event, however much room the axis has before it', () => {
  expect(firstMoment(historyMarks([{ at: 1_000.5, kind: 'ack-sent' }]))).toBe(1_001);
  expect(firstMoment({ ...historyMarks([]), to: 7 })).toBe(7);
});

test('firstMoment of counts is the end of the first slice in which something was', () => {
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
