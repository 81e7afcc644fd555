import { expect, test } from 'vitest';
import { appendEvents } from '@/lib/views/history/append-events';
import type { HistoryEvent } from '@/lib/views/history/schema';
import { CDS } from '@/lib/xds/resource-type';
import { historyMarks } from '../../../support/builders/history-marks';

const event = (seq: number, at: number, over: Partial<HistoryEvent> = {}): HistoryEvent => ({
  seq,
  at: at,
  kind: 'ack-sent',
  vantage: 'probe',
  sourceId: 'probe',
  sourceKind: 'ads',
  clientId: 'c1',
  nodeId: 'node of c1',
  streamId: 's1',
  method: undefined,
  typeUrl: CDS.typeUrl,
  service: 'CDS',
  versionInfo: undefined,
  nonce: undefined,
  errorText: undefined,
  names: [],
  nameCount: 0,
  changed: 0,
  removed: 0,
  sizeBytes: undefined,
  tookMs: 2,
  pairSeq: undefined,
  repeats: 1,
  text: '',
  isTrouble: false,
  ...over,
});

const marks = historyMarks([
  { at: 1_000, kind: 'response-received', typeUrl: CDS.typeUrl },
  { at: 2_000, kind: 'ack-sent', typeUrl: CDS.typeUrl },
]);

test('appendEvents adds newer events to their lanes', () => {
  const grown = appendEvents(marks, [event(4, 4_000), event(3, 3_000)]);
  expect(grown.seq).toEqual([1, 2, 3, 4]);
  expect(grown.at).toEqual([1_000, 2_000, 3_000, 4_000]);
  expect(grown.lane).toEqual([0, 0, 0, 0]);
  expect(grown.tookMs).toEqual([-1, -1, 2, 2]);
  expect(grown.to).toBe(4_000);
});

test('appendEvents opens a lane for a stream that is new', () => {
  const grown = appendEvents(marks, [
    event(3, 3_000, { streamId: 's2' }),
    event(4, 4_000, { streamId: 's2' }),
  ]);
  expect(grown.lanes).toHaveLength(2);
  expect(grown.lane).toEqual([0, 0, 1, 1]);
});

test('appendEvents leaves out known events, and returns the same marks without new ones', () => {
  expect(appendEvents(marks, [event(2, 2_000)])).toBe(marks);
  expect(appendEvents(marks, [event(2, 2_000), event(3, 3_000)]).seq).toEqual([1, 2, 3]);
});

test('appendEvents sorts late events by time', () => {
  const grown = appendEvents(marks, [event(3, 1_500, { tookMs: 7 }), event(4, 2_000)]);
  expect(grown.at).toEqual([1_000, 1_500, 2_000, 2_000]);
  expect(grown.seq).toEqual([1, 3, 2, 4]);
  expect(grown.tookMs).toEqual([-1, 7, -1, 2]);
  expect(grown.to).toBe(2_000);
  // Known events are recognised by seq, although the newest seq is not the last in time.
  expect(appendEvents(grown, [event(3, 1_500), event(4, 2_000)])).toBe(grown);
});
