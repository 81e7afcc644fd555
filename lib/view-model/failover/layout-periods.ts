import { scaleLinear } from 'd3';
import type { FailoverPeriod } from '../../api/failovers';

/** CSS pixels from the drawing's top left. */
export interface PeriodsLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly lanes: readonly { readonly label: string; readonly y: number; readonly heightPx: number }[];
  readonly blocks: readonly PeriodBlock[];
  /** Where a period begins. */
  readonly turns: readonly { readonly key: string; readonly x: number }[];
}

/** What one priority had of one side's requests in one period. */
export interface PeriodBlock {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Place of the priority; -1: nobody had them. */
  readonly priority: number;
  readonly title: string;
}

const left = 52;
const laneHeight = 26;
const gap = 6;
/** The shortest period can still be seen. */
const leastWidth = 2;

/** Periods over time, a lane for gRPC and one for Envoy, in which priorities are as high as their share. */
export function layoutPeriods(
  periods: readonly FailoverPeriod[],
  until: number,
  widthPx: number,
): PeriodsLayout {
  const from = Date.parse(periods[0]?.fromAt ?? '') || until;
  const x = scaleLinear([from, Math.max(until, from + 1)], [left, Math.max(left + 1, widthPx - 4)]).clamp(
    true,
  );
  const blocks: PeriodBlock[] = [];
  const turns: PeriodsLayout['turns'][number][] = [];
  for (const { fromAt, toAt, priorities, grpc, envoy, turn } of periods) {
    const start = x(Date.parse(fromAt));
    const width = Math.max(leastWidth, x(toAt === null ? until : Date.parse(toAt)) - start);
    turns.push({ key: `${fromAt} ${turn}`, x: start });
    const place = priorities.indexOf(grpc ?? '');
    const whose = grpc ?? 'nobody: requests fail';
    blocks.push({
      ...{ key: `${fromAt} grpc`, x: start, y: 0, width, height: laneHeight, priority: place },
      title: `gRPC: ${whose}`,
    });
    let y = laneHeight + gap;
    envoy.forEach((percent, at) => {
      if (percent === 0) return;
      const height = (laneHeight * percent) / 100;
      const title = `Envoy: ${percent} % to ${priorities[at] ?? ''}`;
      blocks.push({ key: `${fromAt} envoy ${at}`, x: start, y, width, height, priority: at, title });
      y += height;
    });
  }
  const lanes = ['gRPC', 'Envoy'].map((label, at) => ({
    label,
    y: at * (laneHeight + gap),
    heightPx: laneHeight,
  }));
  return { widthPx, heightPx: 2 * laneHeight + gap, lanes, blocks, turns };
}
