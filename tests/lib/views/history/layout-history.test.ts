import { describe, expect, test } from 'vitest';
import { buildLanes } from '@/lib/views/history/build-lanes';
import { CollapsedAxis, type TimeWindow } from '@/lib/views/history/collapsed-axis';
import { type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';
import { layoutAxis, layoutGaps } from '@/lib/views/history/layout-axis';
import { layoutBands } from '@/lib/views/history/layout-bands';
import { densityRows, layoutDensity } from '@/lib/views/history/layout-density';
import { layoutHistory } from '@/lib/views/history/layout-history';
import { layoutOverview } from '@/lib/views/history/layout-overview';
import { laneHeightPx, placeLanes } from '@/lib/views/history/place-lanes';
import { stepMark, stepToNack } from '@/lib/views/history/step-event';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { historyMarks, type MarkInput } from '../../../support/builders/history-marks';

const everywhere = { top: 0, bottom: 10_000 };
const whole = (to: number): CollapsedAxis => new CollapsedAxis({ from: 0, to }, [], 36);

function layout(
  inputs: readonly MarkInput[],
  to: number,
  window: TimeWindow = { from: 0, to },
  widthPx = 1_000,
) {
  const lanes = buildLanes(historyMarks(inputs));
  const placed = placeLanes(lanes.lanes, false);
  const scale = whole(to).over(window, widthPx);
  return { lanes, placed, scale, frame: layoutHistory(lanes, placed, { scale, ...everywhere }) };
}

const acks = (count: number, everyMs: number, kind: HistoryKind = 'ack-sent'): MarkInput[] =>
  Array.from({ length: count }, (_, index) => ({ at: index * everyMs, kind, typeUrl: CDS.typeUrl }));

describe('layoutHistory', () => {
  test('draws each event where there is room, at its moment and in its lane', () => {
    const { frame, placed } = layout(acks(5, 1_000), 4_000);
    expect(frame.level).toBe('events');
    expect(frame.marks.x).toEqual([0, 250, 500, 750, 1_000]);
    expect(new Set(frame.marks.y)).toEqual(new Set([(placed.middles[0] ?? 0) + 4]));
  });

  test('joins overlapping events into bursts with a count, and counts crowds by slice', () => {
    const pairs = acks(80, 60_000).flatMap((mark) => [mark, { ...mark, at: mark.at + 100 }]);
    const bursts = layout(pairs, 80 * 60_000);
    expect(bursts.frame.level).toBe('bursts');
    expect(bursts.frame.bursts.reduce((sum, { count }) => sum + count, 0) + bursts.frame.marks.x.length).toBe(
      160,
    );
    expect(bursts.frame.bursts.every(({ count }) => count === 2)).toBe(true);
    const crowd = layout(acks(5_000, 20_000), 100_000_000);
    expect(crowd.frame.level).toBe('density');
    expect(crowd.frame.marks.x).toEqual([]);
    expect(crowd.frame.bars.reduce((sum, { count }) => sum + count, 0)).toBe(5_000);
  });

  test('draws each event at a high zoom', () => {
    const { frame } = layout(acks(5_000, 20_000), 100_000_000, { from: 0, to: 30_000 });
    expect(frame.level).toBe('events');
    expect(frame.marks.mark).toEqual([0, 1]);
  });

  test('never hides a NACK in a burst, and draws it last', () => {
    const inputs = acks(160, 30_000).map(
      (mark, index): MarkInput =>
        index % 40 === 7 ? { ...mark, at: mark.at - 29_990, kind: 'nack-sent' } : mark,
    );
    const { frame } = layout(
      [...inputs].sort((a, b) => a.at - b.at),
      160 * 30_000,
    );
    expect(frame.level).toBe('bursts');
    const kinds = frame.marks.kind.map((kind) => historyKinds[kind]);
    expect(kinds.filter((kind) => kind === 'nack-sent')).toHaveLength(4);
    expect(kinds.slice(-4)).toEqual(['nack-sent', 'nack-sent', 'nack-sent', 'nack-sent']);
  });

  test('marks the share of trouble in a crowd', () => {
    const inputs = acks(5_000, 20_000).map(
      (mark, index): MarkInput => (index === 2_500 ? { ...mark, kind: 'nack-sent' } : mark),
    );
    const { frame } = layout(inputs, 100_000_000);
    expect(frame.bars.filter(({ troubles }) => troubles > 0)).toHaveLength(1);
    expect(frame.bars.every(({ troublePx, heightPx }) => troublePx <= heightPx)).toBe(true);
  });

  test('stretches time-to-ACK from the response to the ACK or NACK', () => {
    const { frame, placed } = layout(
      [
        { at: 1_000, kind: 'response-received', typeUrl: CDS.typeUrl },
        { at: 1_400, kind: 'ack-sent', typeUrl: CDS.typeUrl, tookMs: 400 },
        { at: 3_000, kind: 'nack-sent', typeUrl: CDS.typeUrl, tookMs: 0.5 },
      ],
      4_000,
    );
    expect(frame.waits).toEqual([{ x: 250, width: 100, y: placed.middles[0], isRejected: false }]);
  });

  test('keeps a response visible beside an ACK of the same time', () => {
    const { frame } = layout(
      [
        { at: 1_000, kind: 'response-received', typeUrl: CDS.typeUrl },
        { at: 1_000, kind: 'ack-sent', typeUrl: CDS.typeUrl },
      ],
      4_000,
    );
    expect((frame.marks.y[1] ?? 0) - (frame.marks.y[0] ?? 0)).toBe(8);
  });

  test('limits marks by pixels, not by events', () => {
    const many = Array.from(
      { length: 50_000 },
      (_, index): MarkInput => ({
        at: index % 1_000,
        kind: 'ack-sent',
        typeUrl: CDS.typeUrl,
      }),
    );
    const { frame } = layout(
      [...many].sort((a, b) => a.at - b.at),
      1_000,
    );
    expect(frame.level).toBe('events');
    expect(frame.marks.x.length).toBeLessThan(1_000);
  });

  test('lays out visible lanes only', () => {
    const inputs = Array.from(
      { length: 100 },
      (_, index): MarkInput => ({
        at: index,
        kind: 'ack-sent',
        clientId: `c${index}`,
        typeUrl: CDS.typeUrl,
      }),
    );
    const lanes = buildLanes(historyMarks(inputs));
    const placed = placeLanes(lanes.lanes, true);
    const scale = whole(100).over({ from: 0, to: 100 }, 1_000);
    const frame = layoutHistory(lanes, placed, { scale, top: 0, bottom: 200 });
    expect(frame.marks.y.length).toBeLessThan(10);
    expect(Math.max(...frame.marks.y)).toBeLessThan(200 + laneHeightPx);
  });
});

describe('layoutAxis', () => {
  test('keeps ticks apart, and labels breaks with their duration', () => {
    const axis = new CollapsedAxis({ from: 0, to: 7_200_000 }, [{ from: 600_000, to: 6_600_000 }], 36);
    const { ticks, breaks } = layoutAxis(axis, axis.over(axis.extent, 1_000));
    expect(breaks).toMatchObject([{ width: expect.closeTo(36, 6), label: '100 min' }]);
    expect(ticks.length).toBeGreaterThan(3);
    ticks.slice(1).forEach(({ x }, index) => {
      expect(x - (ticks[index]?.x ?? 0)).toBeGreaterThanOrEqual(74);
    });
    expect(ticks.some(({ at }) => at > 600_000 && at < 6_600_000)).toBe(false);
  });

  test('keeps labels that are moved inside apart from the next ones', () => {
    const axis = whole(100_000);
    for (let from = 40_000; from < 40_200; from += 7) {
      const scale = axis.over({ from, to: from + 1_388 }, 1_245);
      const { ticks } = layoutAxis(axis, scale);
      const words = ticks.map(({ x }) =>
        x < 34 ? [x, x + 68] : x > 1_245 - 34 ? [x - 68, x] : [x - 34, x + 34],
      );
      expect(ticks.length).toBeGreaterThan(10);
      words.slice(1).forEach(([left = 0], index) => {
        expect(left).toBeGreaterThanOrEqual((words[index] ?? [])[1] ?? 0);
      });
    }
  });

  test('gives short gaps a minimum width, and leaves out invisible ones', () => {
    const scale = whole(100_000).over({ from: 0, to: 50_000 }, 1_000);
    const gap = (from: number, to: number) => ({
      fromSeq: 1,
      toSeq: 2,
      from,
      to,
      reason: 'busy',
    });
    const spans = layoutGaps([gap(10_000, 10_000), gap(90_000, 95_000)], scale);
    expect(spans).toMatchObject([{ x: 200, width: 3 }]);
  });
});

test('layoutBands places streams from start to end, and open ones to the edge', () => {
  const { lanes, placed, scale } = layout(
    [
      { at: 1_000, kind: 'stream-opened', streamId: 'a' },
      { at: 2_000, kind: 'stream-closed', streamId: 'a' },
      { at: 3_000, kind: 'stream-opened', streamId: 'b' },
    ],
    4_000,
  );
  expect(layoutBands(lanes.bands, placed, scale)).toMatchObject([
    { x: 250, width: 250, begins: true, ends: true },
    { x: 750, width: 251, begins: true, ends: false },
  ]);
});

test('layoutDensity adds up narrow slices, row by row', () => {
  const bucket = (at: number, typeUrl: string, acked: number, nacked = 0) => ({
    at,
    typeUrl,
    counts: { 'ack-sent': acked, ...(nacked > 0 && { 'nack-sent': nacked }) },
  });
  const density = {
    kind: 'density' as const,
    from: 0,
    to: 100_000,
    bucketMs: 100,
    total: 10,
    buckets: [bucket(0, EDS.typeUrl, 2), bucket(100, EDS.typeUrl, 3, 1), bucket(50_000, '', 4)],
    gaps: [],
  };
  const rows = densityRows(density);
  expect(rows.map(({ label }) => label)).toEqual(['streams', 'EDS']);
  const placed = placeLanes(rows, false);
  const bars = layoutDensity(density, rows, placed, whole(100_000).over({ from: 0, to: 100_000 }, 1_000));
  expect(bars.map(({ count, troubles }) => [count, troubles])).toEqual([
    [6, 1],
    [4, 0],
  ]);
});

test('layoutOverview marks slices with NACKs', () => {
  const bars = layoutOverview(
    historyMarks([...acks(10, 100), { at: 5_000, kind: 'nack-sent', typeUrl: CDS.typeUrl }]),
    whole(10_000).over({ from: 0, to: 10_000 }, 300),
  );
  expect(bars.filter(({ hasTrouble }) => hasTrouble).map(({ x }) => x)).toEqual([150]);
  expect(Math.max(...bars.map(({ share }) => share))).toBe(1);
});

test('layoutOverview marks trouble of every kind in counted slices', () => {
  const kinds: HistoryKind[] = ['ack-sent', 'timer-expired', 'client-gone', 'source-down'];
  const density = { kind: 'density', from: 0, to: 4_000, bucketMs: 1_000, total: 4 } as const;
  const buckets = kinds.map((kind, index) => ({ at: index * 1_000, typeUrl: '', counts: { [kind]: 1 } }));
  const scale = whole(4_000).over({ from: 0, to: 4_000 }, 300);
  const bars = layoutOverview({ ...density, buckets, gaps: [] }, scale);
  expect(bars.map(({ hasTrouble }) => hasTrouble)).toEqual([false, true, true, true]);
});

test('stepMark steps in time and stops at the ends; stepToNack skips other marks', () => {
  const marks = historyMarks([...acks(3, 10), { at: 40, kind: 'nack-sent' }, { at: 50, kind: 'ack-sent' }]);
  expect([
    stepMark(marks, 0, 1),
    stepMark(marks, 0, -1),
    stepMark(marks, 4, 1),
    stepMark(marks, -1, -1),
  ]).toEqual([1, undefined, undefined, 4]);
  expect([stepToNack(marks, 0, 1), stepToNack(marks, 3, 1), stepToNack(marks, -1, -1)]).toEqual([
    3,
    undefined,
    3,
  ]);
});
