import { area, max, nice, stack, ticks } from 'd3';
import { formatBytes } from '../../format/bytes';
import { linearScale, timeTicks } from '../drawing/axis-scale';
import type { SizesAnswer } from './schema';

/** Stacked sizes by type over time, in CSS pixels from the drawing's top left. */
export interface GrowthLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly plot: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** The bands from the bottom up. */
  readonly bands: readonly { readonly service: string; readonly path: string; readonly text: string }[];
  readonly xTicks: readonly { readonly x: number; readonly at: number }[];
  readonly yTicks: readonly { readonly y: number; readonly label: string }[];
  /** Milliseconds between two ticks, which determine the format of their times. */
  readonly tickMs: number;
}

const [leftPx, rightPx, topPx, bottomPx] = [64, 72, 8, 22];

/** Precondition: `growth` has at least two samples. */
export function layoutGrowth(
  growth: SizesAnswer['growth'],
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): GrowthLayout {
  const plot = {
    x: leftPx,
    y: topPx,
    width: Math.max(1, widthPx - leftPx - rightPx),
    height: heightPx - topPx - bottomPx,
  };
  const services = [...new Set(growth.flatMap(({ types }) => types.map(({ service }) => service)))];
  const samples = growth.map(({ at, types }) => ({
    at,
    bytes: new Map(types.map(({ service, bytes }) => [service, bytes])),
  }));
  const series = stack<(typeof samples)[number], string>()
    .keys(services)
    .value(({ bytes }, service) => bytes.get(service) ?? 0)(samples);
  const [from, to] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 1];
  const x = linearScale([from, to], [plot.x, plot.x + plot.width]);
  const most = max(series, (band) => max(band, ([, top]) => top)) ?? 0;
  const bytesShown = nice(0, Math.max(1, most), 3);
  const y = linearScale(bytesShown, [plot.y + plot.height, plot.y]);
  const times = timeTicks([from, to], Math.max(2, Math.floor(plot.width / 120)));
  return {
    ...{ widthPx, heightPx, plot },
    bands: series.map((band) => {
      const path = area<(typeof band)[number]>()
        .x(({ data }) => x(data.at))
        .y0(([bottom]) => y(bottom))
        .y1(([, top]) => y(top));
      const newest = samples.at(-1)?.bytes.get(band.key) ?? 0;
      return { service: band.key, path: path(band) ?? '', text: `${band.key} ${formatBytes(newest)}` };
    }),
    xTicks: times.map((at) => ({ x: x(at), at })),
    yTicks: ticks(...bytesShown, 3).map((bytes) => ({ y: y(bytes), label: formatBytes(bytes) })),
    tickMs: times[0] !== undefined && times[1] !== undefined ? times[1] - times[0] : to - from,
  };
}
