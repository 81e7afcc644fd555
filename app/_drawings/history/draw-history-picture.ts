import { formatExactTime } from '@/lib/format/exact-time';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { statusStrokeWidth } from '@/lib/views/drawing/status-shape';
import type { CollapsedAxis, TimeWindow } from '@/lib/views/history/collapsed-axis';
import { eventShape } from '@/lib/views/history/event-shape';
import { type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';
import {
  type AxisLayout,
  formatAxisTime,
  layoutAxis,
  layoutGaps,
  layoutSpan,
} from '@/lib/views/history/layout-axis';
import { levelTexts } from '@/lib/views/history/layout-history';
import { tearTexts } from '@/lib/views/resolved/tear-texts';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import type { Picture } from '../save-picture';
import { escapeXml } from './escape-xml';
import { findKinds } from './find-kinds';
import { layoutFrame, type PlacedTimeline } from './layout-frame';
import { paintHistory, spritePx } from './paint-history';
import { SvgBrush } from './svg-brush';
import type { Palette } from './use-palette';

interface HistoryPictureOptions {
  readonly title: string;
  readonly placedTimeline: PlacedTimeline;
  readonly axis: CollapsedAxis;
  readonly window: TimeWindow;
  /** null: not requested. */
  readonly tears: Tears | null;
  readonly palette: Palette;
  readonly timeZone: string;
}

const marginPx = 16;
const labelsPx = 190;
const lanesPx = 1_100;
const headPx = 46;
const axisPx = 24;
const tearsPx = 22;
const legendLinePx = 20;
const charPx = 6;

/**
 * The lanes of a window as a standalone SVG file with title, scale, units and legend, in the colours of the
 * current theme.
 */
export function drawHistoryPicture(options: HistoryPictureOptions): Picture {
  const { title, placedTimeline, axis, window, tears, palette, timeZone } = options;
  const { timeline, placed } = placedTimeline;
  const scale = axis.over(window, lanesPx);
  const axisLayout = layoutAxis(axis, scale);
  const { frame, bands } = layoutFrame(placedTimeline, { scale, top: 0, bottom: placed.heightPx });
  const brush = new SvgBrush();
  paintHistory(brush, {
    ...{ frame, placed, bands, palette, axis: axisLayout },
    gaps: layoutGaps(timeline.gaps, scale),
    widthPx: lanesPx,
    heightPx: placed.heightPx,
    scrollTop: 0,
    drawMark: (kind, left, top) =>
      brush.add(markAt(historyKinds[kind] ?? 'lab-event', left + 2, top + 2, palette)),
    hatch: 'url(#not-recorded)',
    pixelRatio: 1,
  });
  const lanesTop = headPx;
  const axisTop = lanesTop + placed.heightPx;
  const spans = layoutTears(tears, scale);
  const legendTop = axisTop + axisPx + (spans.length > 0 ? tearsPx : 0) + 14;
  const legend = layoutLegend(options, frame.level, spans.length > 0);
  const width = marginPx * 2 + labelsPx + lanesPx;
  const height = legendTop + legend.heightPx + marginPx;
  const from = formatExactTime(window.from, timeZone);
  const to = formatExactTime(window.to, timeZone);
  const body = [
    `<rect width="${width}" height="${height}" fill="${palette.raised}"/>`,
    text(marginPx, 22, title, { fill: palette.text, size: 15, weight: 600 }),
    text(marginPx, 39, `${from} to ${to}`, { fill: palette.muted, size: 11 }),
    ...placed.rows.map((row) => {
      const isClient = row.kind === 'client';
      const label = formatMiddleCut(row.label, Math.floor((labelsPx - 12) / charPx));
      const look = { fill: isClient ? palette.text : palette.muted, size: 11, weight: isClient ? 600 : 400 };
      const y = lanesTop + row.y + row.heightPx / 2 + 4;
      if (isClient) return text(marginPx, y, label, look);
      const source = formatMiddleCut(row.source, Math.floor((labelsPx - 12) / charPx) - label.length - 3);
      return (
        text(marginPx + labelsPx - 8, y, label, { ...look, anchor: 'end' }) +
        (source === '' ? '' : text(marginPx, y, source, look))
      );
    }),
    `<g transform="translate(${marginPx + labelsPx} ${lanesTop})" clip-path="url(#lanes)">`,
    ...brush.elements,
    '</g>',
    `<g transform="translate(${marginPx + labelsPx} ${axisTop})">`,
    ...drawAxis(axisLayout, palette, timeZone),
    '</g>',
    ...(spans.length === 0 ? [] : drawTears(spans, axisTop + axisPx, palette)),
    `<g transform="translate(${marginPx} ${legendTop})">${legend.elements.join('')}</g>`,
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, system-ui, sans-serif">
<defs><clipPath id="lanes"><rect width="${lanesPx}" height="${placed.heightPx}"/></clipPath><pattern id="not-recorded" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 6L6 0" stroke="${palette.missing}" stroke-width="1.25"/></pattern></defs>
${body.join('\n')}
</svg>
`;
  return { svg, width, height };
}

interface Look {
  readonly fill: string;
  readonly size: number;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
}

function text(x: number, y: number, words: string, { fill, size, weight = 400, anchor = 'start' }: Look) {
  const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`;
  return `<text ${place} font-size="${size}" font-weight="${weight}" fill="${fill}">${escapeXml(words)}</text>`;
}

function markAt(kind: HistoryKind, left: number, top: number, palette: Palette): string {
  const { path, filled } = eventShape(kind);
  const colour = palette.kinds[historyKinds.indexOf(kind)] ?? palette.text;
  const look = filled
    ? `fill="${colour}"`
    : `fill="none" stroke="${colour}" stroke-width="${statusStrokeWidth + 0.6}" stroke-linecap="round"`;
  const scale = (spritePx - 4) / 16;
  return `<path transform="translate(${round(left)} ${round(top)}) scale(${scale})" d="${path}" ${look}/>`;
}

const edgePx = 34;

function drawAxis({ ticks, breaks, stepMs }: AxisLayout, palette: Palette, timeZone: string): string[] {
  const look = { fill: palette.muted, size: 10.5 };
  return [
    `<path d="M0 0.5H${lanesPx}" stroke="${palette.lineStrong}"/>`,
    ...breaks.map(({ x, width, label }) =>
      text(x + width / 2, 15, `${label} idle`, { ...look, size: 9, anchor: 'middle' }),
    ),
    ...ticks
      .filter(({ x }) => !breaks.some((gap) => x + edgePx > gap.x && x - edgePx < gap.x + gap.width))
      .flatMap(({ x, at }) => [
        `<path d="M${round(x)} 0V4" stroke="${palette.lineStrong}"/>`,
        text(Math.max(edgePx, Math.min(lanesPx - edgePx, x)), 15, formatAxisTime(at, stepMs, timeZone), {
          ...look,
          anchor: 'middle',
        }),
      ]),
  ];
}

interface TearSpan {
  readonly x: number;
  readonly width: number;
  readonly fails: boolean;
  readonly words: string;
}

function layoutTears(tears: Tears | null, scale: ReturnType<CollapsedAxis['over']>): TearSpan[] {
  if (tears === null) return [];
  return tears.items.flatMap(({ kind, fromAt, toAt, a74, preA74 }) => {
    const span = layoutSpan(scale, fromAt, toAt ?? tears.to);
    const fails = a74.outcome === 'fails' || preA74.outcome === 'fails';
    return span === undefined ? [] : [{ ...span, fails, words: tearTexts[kind] }];
  });
}

function drawTears(spans: readonly TearSpan[], top: number, palette: Palette): string[] {
  return [
    text(marginPx + labelsPx - 8, top + 13, 'config tears', { fill: palette.muted, size: 11, anchor: 'end' }),
    `<g transform="translate(${marginPx + labelsPx} ${top})">`,
    ...spans.map(({ x, width, fails, words }) => {
      const look = fails ? `fill="${palette.nacked}"` : `fill="none" stroke="${palette.nacked}"`;
      const box = `x="${round(x)}" y="4" width="${round(width)}" height="12" rx="2"`;
      return `<rect ${box} ${look}><title>${escapeXml(words)}</title></rect>`;
    }),
    '</g>',
  ];
}

function layoutLegend(
  { placedTimeline: { timeline }, palette, timeZone }: HistoryPictureOptions,
  level: keyof typeof levelTexts,
  hasTears: boolean,
): { readonly elements: string[]; readonly heightPx: number } {
  const look = { fill: palette.muted, size: 11 };
  const elements: string[] = [];
  let x = 0;
  let y = 0;
  const place = (widthPx: number) => {
    if (x + widthPx > labelsPx + lanesPx) {
      x = 0;
      y += legendLinePx;
    }
    x += widthPx;
    return { left: x - widthPx, top: y };
  };
  const entry = (symbol: (left: number, top: number) => string, word: string) => {
    const { left, top } = place(34 + word.length * charPx);
    elements.push(symbol(left, top), text(left + 20, top + 10, word, look));
  };
  for (const kind of findKinds(timeline)) {
    entry((left, top) => markAt(kind, left, top, palette), eventShape(kind).word);
  }
  const box =
    (fill: string, more = '') =>
    (left: number, top: number) =>
      `<rect x="${left}" y="${top + 1}" width="14" height="10" fill="${fill}"${more}/>`;
  entry(box(palette.band, ` stroke="${palette.muted}" stroke-width="0.5"`), 'open stream');
  if (timeline.gaps.length > 0) entry(box('url(#not-recorded)'), 'not recorded');
  if (hasTears) {
    entry(box(palette.nacked), 'config tear: a request failed');
    entry(box('none', ` stroke="${palette.nacked}"`), 'config tear: a request waited, or nothing');
  }
  const note = `${levelTexts[level]}. Times in ${timeZone}; idle time is left out at dashed breaks.`;
  elements.push(text(0, y + legendLinePx + 10, note, look));
  return { elements, heightPx: y + legendLinePx * 2 };
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}
