import { max } from 'd3';
import { formatBytes } from '../../format/bytes';
import type { EpochMs } from '../../xds/units';
import { type AxisScale, clampedScale, linearScale, timeTicks } from '../drawing/axis-scale';
import type { Churn } from './schema';

/** One row for each type, with its own scale, in CSS pixels from the drawing's top left. */
export interface ChurnLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly plot: { readonly x: number; readonly width: number };
  readonly rows: readonly ChurnRow[];
  readonly ticks: readonly { readonly x: number; readonly at: EpochMs }[];
}

interface ChurnRow {
  readonly typeUrl: string;
  readonly service: string;
  /** The lower edge, and the height of the highest bar. */
  readonly y: number;
  readonly heightPx: number;
  readonly bars: readonly ChurnBar[];
  /** The rate of the highest bar, as in "12 kB/min". */
  readonly peak: string;
}

interface ChurnBar {
  readonly at: EpochMs;
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

const labelPx = 52;
const rightPx = 8;
const rowPx = 66;
const barsPx = 44;
const axisPx = 24;
const tickEveryPx = 120;
const tickLabelPx = 48;
const minuteMs = 60_000;

export function layoutChurn(
  churn: Pick<Churn, 'from' | 'until' | 'bucketMs' | 'types'>,
  widthPx: number,
): ChurnLayout {
  const { types, bucketMs } = churn;
  const width = Math.max(1, widthPx - labelPx - rightPx);
  const x = churnScale(churn, { x: labelPx, width });
  const rows = types.map(({ typeUrl, service, buckets }, index): ChurnRow => {
    const y = (index + 1) * rowPx - 4;
    const most = max(buckets, ({ bytes }) => bytes) ?? 0;
    const height = linearScale([0, Math.max(1, most)], [0, barsPx]);
    return {
      ...{ typeUrl, service, y, heightPx: barsPx, peak: formatRate(most, bucketMs) },
      bars: buckets.map(({ at, bytes, responses }) => {
        const [left, right] = [x(at), x(at + bucketMs)];
        const text = `${formatRate(bytes, bucketMs)}, ${responses} responses`;
        return {
          at,
          x: left,
          width: Math.max(1, right - left - 1),
          height: Math.max(1, height(bytes)),
          text,
        };
      }),
    };
  });
  const ticks = timeTicks([churn.from, churn.until], Math.max(2, Math.floor(width / tickEveryPx)));
  return {
    widthPx,
    heightPx: types.length * rowPx + axisPx,
    plot: { x: labelPx, width },
    rows,
    // The label of a tick at the end would be cut.
    ticks: ticks.map((at) => ({ x: x(at), at })).filter((tick) => tick.x <= widthPx - tickLabelPx / 2),
  };
}

/** Places times of the range. */
export function churnScale(
  churn: Pick<Churn, 'from' | 'until'>,
  { x, width }: ChurnLayout['plot'],
): AxisScale {
  return clampedScale([churn.from, churn.until], [x, x + width]);
}

/** "1.2 MB/min". */
export function formatRate(bytes: number, spanMs: number): string {
  return `${formatBytes(Math.round((bytes * minuteMs) / spanMs))}/min`;
}
