import { scaleLinear } from 'd3';
import type { FailoverPeriod } from '../../api/failovers';
import { formatMiddleCut } from '../../format/middle-cut';
import { type MeasuredPriorities, measuredRuns } from './measured-priorities';

/** CSS pixels from the drawing's top left. */
export interface PeriodsLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly lanes: readonly { readonly label: string; readonly y: number; readonly heightPx: number }[];
  readonly blocks: readonly PeriodBlock[];
  readonly turns: readonly { readonly key: string; readonly x: number }[];
}

export interface PeriodBlock {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The index of the priority; -1 if requests failed. */
  readonly priority: number;
  /** The part of the name that fits; may be empty. */
  readonly label: string;
  readonly title: string;
}

const left = 52;
const laneHeight = 26;
const gap = 6;
const leastWidth = 2;

/**
 * Lays out periods over time in a lane for gRPC and one for Envoy. The heights of priorities are proportional to their
 * shares. Measured requests have a third lane.
 */
export function layoutPeriods(
  periods: readonly FailoverPeriod[],
  until: number,
  widthPx: number,
  measured?: MeasuredPriorities,
): PeriodsLayout {
  const [first] = periods;
  const from = first === undefined ? until : Date.parse(first.fromAt);
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
    const whose = grpc ?? 'no endpoints: requests fail';
    blocks.push({
      ...{ key: `${fromAt} grpc`, x: start, y: 0, width, height: laneHeight, priority: place },
      ...{ label: labelOf(grpc ?? 'fails', width, laneHeight), title: `gRPC: ${whose}` },
    });
    let y = laneHeight + gap;
    envoy.forEach((percent, at) => {
      if (percent === 0) return;
      const height = (laneHeight * percent) / 100;
      const name = priorities[at] ?? '';
      blocks.push({
        ...{ key: `${fromAt} envoy ${at}`, x: start, y, width, height, priority: at },
        ...{ label: labelOf(name, width, height), title: `Envoy: ${percent}% to ${name}` },
      });
      y += height;
    });
  }
  /** Times before the first period have its priorities. */
  const namesAt = (at: number): readonly string[] =>
    (periods.findLast(({ fromAt }) => Date.parse(fromAt) <= at) ?? periods[0])?.priorities ?? [];
  const measuredBlocks =
    measured === undefined
      ? []
      : layoutMeasured(measured, namesAt, (at) => x(Math.max(from, Math.min(at, until))));
  const laneNames = ['gRPC', 'Envoy', ...(measuredBlocks.length > 0 ? ['LRS'] : [])];
  const lanes = laneNames.map((label, at) => ({ label, y: at * (laneHeight + gap), heightPx: laneHeight }));
  const heightPx = lanes.length * (laneHeight + gap) - gap;
  return { widthPx, heightPx, lanes, blocks: [...blocks, ...measuredBlocks], turns };
}

/** The width of a character of a label. */
const charWidth = 6.2;
const leastRoom = 3;

function labelOf(name: string, width: number, height: number): string {
  const room = Math.floor((width - 10) / charWidth);
  return height <= 12 || room < Math.min(name.length, leastRoom) ? '' : formatMiddleCut(name, room);
}

function layoutMeasured(
  measured: MeasuredPriorities,
  namesAt: (at: number) => readonly string[],
  x: (at: number) => number,
): PeriodBlock[] {
  return measuredRuns(measured, namesAt).flatMap(({ from, to, shares, text }) => {
    const names = namesAt(from);
    const start = x(from);
    const width = Math.max(1, x(to) - start);
    let y = 2 * (laneHeight + gap);
    return shares.map(({ priority, share }): PeriodBlock => {
      const height = laneHeight * share;
      y += height;
      const key = `measured ${from} ${priority}`;
      const label = labelOf(names[priority] ?? `P${priority}`, width, height);
      return { key, x: start, y: y - height, width, height, priority, label, title: `measured: ${text}` };
    });
  });
}
