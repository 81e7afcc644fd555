import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortEvents } from '@/lib/views/history/append-events';
import { buildHistoryMarks } from '@/lib/views/history/build-history-marks';
import { historyKinds } from '@/lib/views/history/history-kinds';
import { sortMarks } from '@/lib/views/history/sort-marks';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { historyMarks } from '../../../support/builders/history-marks';

const mark = (seq: number, at: number, sourceId: string, typeUrl: string | undefined) => ({
  seq,
  at,
  kind: 'ack-sent' as const,
  sourceId,
  clientId: 'c1',
  streamId: undefined,
  typeUrl,
  tookMs: seq,
  pairSeq: null,
});

test('observations of several sources that cross by milliseconds are sorted by time', () => {
  const logged = [
    mark(1, 1_000, 'csds:a', undefined),
    mark(2, 997, 'tap:a', CDS.typeUrl),
    mark(3, 1_000, 'lrs:a', undefined),
    mark(4, 998, 'tap:a', EDS.typeUrl),
  ];
  const built = buildHistoryMarks(logged, { nodeIdOf: () => 'shop', findSource: () => undefined });
  expect(built.at).toEqual([997, 998, 1_000, 1_000]);
  expect(built.seq).toEqual([2, 4, 1, 3]);
  expect(built.tookMs).toEqual([2, 4, 1, 3]);
  expect(built.lane.map((lane) => built.lanes[lane]?.sourceId)).toEqual([
    'tap:a',
    'tap:a',
    'csds:a',
    'lrs:a',
  ]);
});

test('sortMarks sorts all columns, and returns sorted marks unchanged', () => {
  const sorted = historyMarks([
    { at: 1, kind: 'request-sent' },
    { at: 1, kind: 'response-received' },
  ]);
  expect(sortMarks(sorted)).toBe(sorted);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), (times) => {
      const marks = historyMarks(times.map((at) => ({ at, kind: 'ack-sent', tookMs: at, pair: at })));
      const { at, seq, tookMs, pair, kinds } = sortMarks(marks);
      at.forEach((when, place) => {
        expect([times[(seq[place] ?? 0) - 1], tookMs[place], pair[place]]).toEqual([when, when, when]);
        expect(historyKinds[kinds[place] ?? -1]).toBe('ack-sent');
        if (place > 0) {
          const [before = 0, seqBefore = 0] = [at[place - 1], seq[place - 1]];
          expect(before < when || (before === when && seqBefore < (seq[place] ?? 0))).toBe(true);
        }
      });
    }),
  );
});

test('sortEvents lists the newest first by time, and of one millisecond the later one of the log', () => {
  const event = (seq: number, ms: number) => ({ seq, at: ms });
  const logged = [event(4, 998), event(3, 1_000), event(2, 997), event(1, 1_000)];
  expect(sortEvents(logged).map(({ seq }) => seq)).toEqual([3, 1, 4, 2]);
});
