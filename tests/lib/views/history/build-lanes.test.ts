import { describe, expect, test } from 'vitest';
import { buildLanes } from '@/lib/views/history/build-lanes';
import { placeLanes } from '@/lib/views/history/place-lanes';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { historyMarks } from '../../../support/builders/history-marks';

const labels = (...args: Parameters<typeof historyMarks>) =>
  buildLanes(historyMarks(...args)).lanes.map(({ label, track }) =>
    track === 0 ? label : `${label} ${track}`,
  );

describe('buildLanes', () => {
  test('sorts lanes by client, stream and the fixed order of types', () => {
    const at = 1_000;
    expect(
      labels([
        { at, kind: 'ack-sent', typeUrl: EDS.typeUrl },
        { at, kind: 'ack-sent', typeUrl: LDS.typeUrl, clientId: 'c2' },
        { at, kind: 'ack-sent', typeUrl: CDS.typeUrl },
        { at, kind: 'stream-opened' },
        { at, kind: 'source-up', clientId: null, streamId: null, sourceId: 'csds:a' },
      ]),
    ).toEqual(['stream', 'CDS', 'EDS', 'LDS', 'csds:a']);
  });

  test('places streams before polls of the same client, and load reports last', () => {
    expect(
      labels([
        { at: 1, kind: 'client-config-changed', streamId: null, sourceId: 'csds:a' },
        { at: 2, kind: 'load-reported', sourceId: 'lrs:lab' },
        { at: 3, kind: 'ack-sent', typeUrl: CDS.typeUrl, sourceId: 'tap:a' },
      ]),
    ).toEqual(['CDS', 'csds:a', 'LRS']);
  });

  test('labels a stream of load reports as such, even if the same tap has streams of resources', () => {
    const tap = { sourceId: 'tap:a' } as const;
    expect(
      labels([
        { ...tap, at: 1, kind: 'stream-opened', streamId: 'resources' },
        { ...tap, at: 2, kind: 'ack-sent', streamId: 'resources', typeUrl: CDS.typeUrl },
        { ...tap, at: 3, kind: 'stream-closed', streamId: 'resources' },
        { ...tap, at: 4, kind: 'stream-opened', streamId: 'load' },
        { ...tap, at: 5, kind: 'load-reported', streamId: 'load' },
      ]),
    ).toEqual(['stream', 'CDS', 'LRS']);
  });

  test('places consecutive streams on one track, and concurrent ones on different tracks', () => {
    const stream = (streamId: string, from: number, to: number) =>
      [
        { at: from, kind: 'stream-opened', streamId },
        { at: to, kind: 'stream-closed', streamId },
      ] as const;
    const marks = [...stream('a', 1, 10), ...stream('b', 11, 20), ...stream('c', 15, 30)];
    const built = buildLanes(historyMarks([...marks].sort((a, b) => a.at - b.at)));
    expect(built.lanes.map(({ track, marks: own }) => [track, own.length])).toEqual([
      [0, 4],
      [1, 2],
    ]);
    expect(built.bands.map(({ from, to, firstLane }) => [from, to, firstLane])).toEqual([
      [1, 10, 0],
      [11, 20, 0],
      [15, 30, 1],
    ]);
  });

  test('marks streams whose start or end was not observed', () => {
    const { bands } = buildLanes(historyMarks([{ at: 5, kind: 'ack-sent', typeUrl: CDS.typeUrl }]));
    expect(bands).toMatchObject([{ from: 5, to: null, isOlder: true }]);
  });

  test('stretches a band over all lanes of its stream', () => {
    const { bands } = buildLanes(
      historyMarks([
        { at: 1, kind: 'stream-opened' },
        { at: 2, kind: 'request-sent', typeUrl: EDS.typeUrl },
        { at: 3, kind: 'request-sent', typeUrl: LDS.typeUrl },
      ]),
    );
    expect(bands).toMatchObject([{ firstLane: 0, lastLane: 2, isOlder: false }]);
  });

  test('keeps every mark in exactly one lane, in the order of time', () => {
    const kinds = ['ack-sent', 'nack-sent', 'request-sent'] as const;
    const marks = historyMarks(
      Array.from({ length: 300 }, (_, index) => ({
        at: index,
        kind: kinds[index % 3] ?? 'ack-sent',
        typeUrl: [LDS, CDS, EDS][(index * 7) % 3]?.typeUrl ?? '',
        clientId: `c${index % 5}`,
      })),
    );
    const { lanes, laneOf } = buildLanes(marks);
    const all = lanes.flatMap((lane) => [...lane.marks]);
    expect(all.toSorted((a, b) => a - b)).toEqual(marks.seq.map((_, index) => index));
    lanes.forEach((lane, place) => {
      expect([...lane.marks]).toEqual([...lane.marks].sort((a, b) => a - b));
      for (const mark of lane.marks) expect(laneOf[mark]).toBe(place);
    });
  });
});

describe('placeLanes', () => {
  test('adds one heading for each client, without overlaps', () => {
    const { lanes } = buildLanes(
      historyMarks([
        { at: 1, kind: 'ack-sent', typeUrl: CDS.typeUrl },
        { at: 1, kind: 'ack-sent', typeUrl: EDS.typeUrl },
        { at: 1, kind: 'ack-sent', typeUrl: CDS.typeUrl, clientId: 'c2' },
      ]),
    );
    const { rows, heightPx } = placeLanes(lanes, true);
    expect(rows.map((row) => (row.kind === 'client' ? row.label : row.kind))).toEqual([
      'node of c1',
      'lane',
      'lane',
      'node of c2',
      'lane',
    ]);
    for (const [index, row] of rows.entries()) {
      expect(row.y + row.heightPx).toBeLessThanOrEqual(rows[index + 1]?.y ?? heightPx);
    }
    expect(placeLanes(lanes, false).rows.every(({ kind }) => kind === 'lane')).toBe(true);
  });

  test('reads node ids of Istio as workload.namespace', () => {
    const [lane] = buildLanes(historyMarks([{ at: 1, kind: 'ack-sent', typeUrl: CDS.typeUrl }])).lanes;
    const nodeId = 'sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local';
    const { rows } = placeLanes(lane === undefined ? [] : [{ ...lane, nodeId }], true);
    expect(rows[0]).toMatchObject({ kind: 'client', label: 'web-0.shop' });
  });
});
