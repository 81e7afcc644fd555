import { expect, test } from 'vitest';
import { paintHistory } from '@/app/_drawings/history/paint-history';
import { SvgBrush } from '@/app/_drawings/history/svg-brush';
import { buildAxis } from '@/lib/views/history/build-axis';
import { buildLanes } from '@/lib/views/history/build-lanes';
import { eventShape } from '@/lib/views/history/event-shape';
import { historyKinds } from '@/lib/views/history/history-kinds';
import { layoutAxis, layoutGaps } from '@/lib/views/history/layout-axis';
import { layoutBands } from '@/lib/views/history/layout-bands';
import { layoutHistory } from '@/lib/views/history/layout-history';
import { placeLanes } from '@/lib/views/history/place-lanes';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { historyMarks, type MarkInput } from '../support/builders/history-marks';
import { palette } from '../support/history-palette';

const widthPx = 720;

/** A stream with an update that is rejected, an idle hour, and a stream without a recorded end. */
const story: MarkInput[] = [
  { at: 0, kind: 'stream-opened' },
  { at: 400, kind: 'request-sent', typeUrl: CDS.typeUrl },
  { at: 900, kind: 'response-received', typeUrl: CDS.typeUrl },
  { at: 2_100, kind: 'ack-sent', typeUrl: CDS.typeUrl, tookMs: 1_200 },
  { at: 4_000, kind: 'response-received', typeUrl: EDS.typeUrl },
  { at: 5_500, kind: 'nack-sent', typeUrl: EDS.typeUrl, tookMs: 1_500 },
  { at: 9_000, kind: 'stream-closed' },
  { at: 3_600_000, kind: 'stream-opened', streamId: 's2' },
  { at: 3_603_000, kind: 'timer-expired', streamId: 's2' },
  { at: 3_606_000, kind: 'source-down', streamId: null, clientId: null, sourceId: 'csds:a' },
];

function paint(inputs: readonly MarkInput[]): { readonly svg: string; readonly level: string } {
  const gap = { fromSeq: 1, toSeq: 2, from: 7_000, to: 8_000, reason: 'busy' };
  const marks = historyMarks(inputs, [gap]);
  const lanes = buildLanes(marks);
  const placed = placeLanes(lanes.lanes, true);
  const axis = buildAxis(marks, widthPx);
  const scale = axis.over(axis.extent, widthPx);
  const frame = layoutHistory(lanes, placed, { scale, top: 0, bottom: placed.heightPx });
  const brush = new SvgBrush();
  paintHistory(brush, {
    frame,
    placed,
    bands: layoutBands(lanes.bands, placed, scale),
    gaps: layoutGaps(marks.gaps, scale),
    axis: layoutAxis(axis, scale),
    widthPx,
    heightPx: placed.heightPx,
    scrollTop: 0,
    palette,
    drawMark(kind, left, top) {
      const { path, filled } = eventShape(historyKinds[kind] ?? 'lab-event');
      const colour = palette.kinds[kind] ?? '';
      const look = filled ? `fill="${colour}"` : `fill="none" stroke="${colour}" stroke-width="2.35"`;
      brush.add(`<path transform="translate(${left + 2} ${top + 2}) scale(.75)" d="${path}" ${look}/>`);
    },
    hatch: palette.missing,
    pixelRatio: 1,
  });
  const size = `width="${widthPx}" height="${placed.heightPx}"`;
  const body = brush.elements.map((element) => `  ${element}`).join('\n');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${body}\n</svg>\n`;
  return { svg, level: frame.level };
}

test('paintHistory draws streams, waits, a NACK, a gap and an idle hour', async () => {
  const { svg, level } = paint(story);
  expect(level).toBe('events');
  await expect(svg).toMatchFileSnapshot('history-drawing.svg');
});

test('paintHistory draws many events as bars, with a triangle over bars with a problem', () => {
  const crowd = Array.from(
    { length: 20_000 },
    (_, index): MarkInput => ({
      at: index * 5_000,
      kind: index === 9_000 ? 'nack-sent' : 'ack-sent',
      typeUrl: CDS.typeUrl,
    }),
  );
  const { svg, level } = paint(crowd);
  expect(level).toBe('density');
  expect(svg.match(/<path d="M[^"]*" fill="#b3340a"/g)).toHaveLength(1);
  expect(svg).not.toContain('scale(.75)');
});
