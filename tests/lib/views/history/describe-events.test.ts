import { describe, expect, it } from 'vitest';
import { describeEvents } from '@/lib/views/history/describe-events';
import type { HistoryDensity } from '@/lib/views/history/schema';
import { CDS } from '@/lib/xds/resource-type';
import { historyMarks } from '../../../support/builders/history-marks';

const marks = historyMarks([
  { at: 1_000, kind: 'response-received', typeUrl: CDS.typeUrl },
  { at: 2_000, kind: 'ack-sent', typeUrl: CDS.typeUrl },
  { at: 2_001, kind: 'ack-sent', typeUrl: CDS.typeUrl },
  { at: 2_002, kind: 'nack-sent', typeUrl: CDS.typeUrl },
  { at: 2_003, kind: 'request-sent' },
  { at: 2_004, kind: 'stream-opened' },
]);

const counts: HistoryDensity = {
  ...{ kind: 'density', from: 0, to: 300, bucketMs: 100, total: 4, gaps: [] },
  buckets: [
    { at: 0, typeUrl: '', counts: { 'stream-opened': 1 } },
    { at: 100, typeUrl: CDS.typeUrl, counts: { 'ack-sent': 2, 'nack-sent': 1 } },
  ],
};

describe('describeEvents', () => {
  it.each([
    ['one event with its type', marks, 900, 1_100, 'response, CDS'],
    ['several by kind, trouble first', marks, 2_000, 2_004, 'NACK, ACK × 2, request and 1 more'],
    ['no event', marks, 1_100, 1_900, ''],
    ['the events of a slice', counts, 120, 130, 'NACK, ACK × 2'],
    ['the events of several slices', counts, 50, 130, 'NACK, ACK × 2, stream opened'],
    ['none after the last slice', counts, 200, 300, ''],
  ])('states %s', (_, timeline, from, to, expected) => {
    expect(describeEvents(timeline, from, to)).toBe(expected);
  });
});
