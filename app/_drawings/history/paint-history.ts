import { formatCount } from '@/lib/format/count';
import type { AxisLayout, Span } from '@/lib/views/history/layout-axis';
import type { BandBox } from '@/lib/views/history/layout-bands';
import type { Burst, DensityBar, HistoryFrame, WaitBar } from '@/lib/views/history/layout-history';
import { laneHeightPx, type PlacedLanes } from '@/lib/views/history/place-lanes';
import type { Palette } from './use-palette';

/** Size of a mark's box including its halo. */
export const spritePx = 16;

export interface HistoryScene {
  readonly frame: HistoryFrame;
  readonly placed: PlacedLanes;
  readonly bands: readonly BandBox[];
  readonly gaps: readonly Span[];
  readonly axis: AxisLayout;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly scrollTop: number;
  readonly palette: Palette;
  /** Copies the mark of a kind (index of historyKinds) to the upper left corner. */
  readonly drawMark: (kind: number, left: number, top: number) => void;
  readonly hatch: CanvasPattern | string;
  /** Device pixels per CSS pixel. */
  readonly pixelRatio: number;
}

/** The part of a canvas context that painting needs. */
export type HistoryBrush = Pick<
  CanvasRenderingContext2D,
  | 'setTransform'
  | 'translate'
  | 'clearRect'
  | 'fillRect'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'roundRect'
  | 'fill'
  | 'stroke'
  | 'fillText'
  | 'measureText'
  | 'setLineDash'
  | 'fillStyle'
  | 'strokeStyle'
  | 'globalAlpha'
  | 'lineWidth'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
>;

/** Paints one frame from back to front: rows, streams, gaps, waits, marks. */
export function paintHistory(context: HistoryBrush, scene: HistoryScene): void {
  const { frame, widthPx, heightPx, scrollTop, pixelRatio, palette } = scene;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, widthPx, heightPx);
  context.translate(0, -scrollTop);
  paintRows(context, scene);
  for (const band of scene.bands) paintBand(context, band, palette);
  for (const { x } of scene.axis.ticks) line(context, x, scrollTop, x, scrollTop + heightPx, palette.line);
  paintBreaks(context, scene);
  for (const { x, width } of scene.gaps) {
    context.fillStyle = scene.hatch;
    context.fillRect(x, scrollTop, width, heightPx);
  }
  for (const wait of frame.waits) paintWait(context, wait, palette);
  for (const bar of frame.bars) paintBar(context, bar, palette);
  for (const burst of frame.bursts) paintBurst(context, burst, palette);
  paintMarks(scene);
}

function paintRows(context: HistoryBrush, scene: HistoryScene): void {
  const { placed, widthPx, scrollTop, heightPx, palette } = scene;
  for (const { kind, y, heightPx: rowPx } of placed.rows) {
    if (y + rowPx < scrollTop || y > scrollTop + heightPx) continue;
    if (kind === 'client') {
      context.fillStyle = palette.surface;
      context.fillRect(0, y, widthPx, rowPx);
    } else {
      line(context, 0, y + rowPx / 2, widthPx, y + rowPx / 2, palette.line);
    }
  }
}

function paintBand(context: HistoryBrush, band: BandBox, palette: Palette): void {
  const { x, y, width, heightPx, begins, ends } = band;
  context.globalAlpha = 0.55;
  context.fillStyle = palette.band;
  context.fillRect(x, y, width, heightPx);
  context.globalAlpha = 1;
  if (begins) line(context, x, y, x, y + heightPx, palette.muted);
  if (ends) line(context, x + width, y, x + width, y + heightPx, palette.muted);
}

function paintBreaks(context: HistoryBrush, scene: HistoryScene): void {
  const { axis, palette, scrollTop, heightPx } = scene;
  for (const { x, width } of axis.breaks) {
    context.fillStyle = palette.surface;
    context.fillRect(x, scrollTop, width, heightPx);
    line(context, x, scrollTop, x, scrollTop + heightPx, palette.lineStrong, [2, 3]);
    line(context, x + width, scrollTop, x + width, scrollTop + heightPx, palette.lineStrong, [2, 3]);
  }
}

const waitPx = 4;

function paintWait(context: HistoryBrush, wait: WaitBar, palette: Palette): void {
  context.globalAlpha = 0.5;
  context.fillStyle = wait.isRejected ? palette.nacked : palette.acked;
  context.fillRect(wait.x, wait.y - waitPx / 2, wait.width, waitPx);
  context.globalAlpha = 1;
}

function paintBar(context: HistoryBrush, bar: DensityBar, palette: Palette): void {
  context.fillStyle = palette.muted;
  context.globalAlpha = 0.75;
  context.fillRect(bar.x, bar.y - bar.heightPx, bar.width, bar.heightPx);
  context.globalAlpha = 1;
  if (bar.troublePx === 0) return;
  context.fillStyle = palette.nacked;
  context.fillRect(bar.x, bar.y - bar.troublePx, bar.width, bar.troublePx);
  // A triangle, so that colour is not the only sign.
  const middle = bar.x + bar.width / 2;
  const top = Math.max(bar.y - laneHeightPx + 3, bar.y - bar.heightPx - 6);
  context.beginPath();
  context.moveTo(middle, top);
  context.lineTo(middle + 4, top + 6);
  context.lineTo(middle - 4, top + 6);
  context.fill();
}

const pillPx = 13;

function paintBurst(context: HistoryBrush, burst: Burst, palette: Palette): void {
  const text = formatCount(burst.count);
  context.font = `10px ${palette.font}`;
  const textPx = context.measureText(text).width;
  const width = Math.max(burst.width + pillPx, textPx + 8);
  const x = burst.x + burst.width / 2 - width / 2;
  context.beginPath();
  context.roundRect(x, burst.y - pillPx / 2, width, pillPx, pillPx / 2);
  context.fillStyle = palette.raised;
  context.fill();
  context.strokeStyle = palette.lineStrong;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = palette.text;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x + width / 2, burst.y + 0.5);
}

function paintMarks({ frame, drawMark, pixelRatio }: HistoryScene): void {
  const { x, y, kind } = frame.marks;
  // Whole device pixels keep copies sharp.
  const crisp = (px: number) => Math.round((px - spritePx / 2) * pixelRatio) / pixelRatio;
  for (let index = 0; index < x.length; index++) {
    drawMark(kind[index] ?? 0, crisp(x[index] ?? 0), crisp(y[index] ?? 0));
  }
}

function line(
  context: HistoryBrush,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  colour: string,
  dash: number[] = [],
): void {
  context.beginPath();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash(dash);
  // Half a pixel of offset makes a line of one pixel sharp.
  const crisp = (value: number) => Math.round(value) + 0.5;
  context.moveTo(crisp(x1), crisp(y1));
  context.lineTo(crisp(x2), crisp(y2));
  context.stroke();
  context.setLineDash([]);
}
