import { ascending } from '../../collections/compare';
import { formatMiddleCut } from '../../format/middle-cut';
import { clampedScale, timeTicks } from '../drawing/axis-scale';
import type { FlowSide } from './build-flow';
import { type MeasuredPriorities, measuredRuns } from './measured-priorities';
import type { FailoverPeriod } from './periods-schema';

/** CSS pixels from the drawing's top left. */
export interface PeriodsLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly lanes: readonly { readonly label: string; readonly y: number; readonly heightPx: number }[];
  readonly blocks: readonly PeriodBlock[];
  readonly turns: readonly { readonly key: string; readonly x: number }[];
  /** Below the lanes: the times at the beginning and at the end, in epoch milliseconds. */
  readonly axis: {
    readonly y: number;
    readonly from: number;
    readonly to: number;
    /** Round times between the ends, with room for their labels. */
    readonly ticks: readonly { readonly x: number; readonly at: number }[];
  };
  /** The priorities that occur, by index; -1: requests failed. */
  readonly legend: readonly { readonly priority: number; readonly name: string; readonly x: number }[];
  readonly legendY: number;
}

interface PeriodBlock {
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
const axisPx = 20;
const legendPx = 20;
const tickEveryPx = 120;
const laneLabels: Readonly<Record<FlowSide, string>> = { grpc: 'gRPC', envoy: 'Envoy' };

/**
 * Lays out periods over time in a lane for each of the `sides`. The heights of priorities are proportional to their
 * shares. Measured requests have a third lane.
 */
export function layoutPeriods(
  periods: readonly FailoverPeriod[],
  until: number,
  widthPx: number,
  sides: readonly FlowSide[],
  measured?: MeasuredPriorities,
): PeriodsLayout {
  const yOf = (side: FlowSide): number => sides.indexOf(side) * (laneHeight + gap);
  const [first] = periods;
  const from = first === undefined ? until : first.fromAt;
  const times = [from, Math.max(until, from + 1)] as const;
  const places = [left, Math.max(left + 1, widthPx - 4)] as const;
  const x = clampedScale(times, places);
  const blocks: PeriodBlock[] = [];
  const turns: PeriodsLayout['turns'][number][] = [];
  for (const { fromAt, toAt, priorities, grpc, envoy, turn } of periods) {
    const start = x(fromAt);
    const width = Math.max(leastWidth, x(toAt ?? until) - start);
    turns.push({ key: `${fromAt} ${turn}`, x: start });
    const place = priorities.indexOf(grpc ?? '');
    const whose = grpc ?? 'no endpoints: requests fail';
    if (sides.includes('grpc'))
      blocks.push({
        ...{ key: `${fromAt} grpc`, x: start, y: yOf('grpc'), width, height: laneHeight, priority: place },
        ...{ label: labelOf(grpc ?? 'fails', width, laneHeight), title: `gRPC: ${whose}` },
      });
    let y = yOf('envoy');
    if (sides.includes('envoy'))
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
  /** The priorities of the first period also apply to the times before it. */
  const namesAt = (at: number): readonly string[] =>
    (periods.findLast(({ fromAt }) => fromAt <= at) ?? periods[0])?.priorities ?? [];
  const measuredBlocks =
    measured === undefined
      ? []
      : layoutMeasured(measured, namesAt, (at) => x(Math.max(from, Math.min(at, until))), sides.length);
  const laneNames = [...sides.map((side) => laneLabels[side]), ...(measuredBlocks.length > 0 ? ['LRS'] : [])];
  const lanes = laneNames.map((label, at) => ({ label, y: at * (laneHeight + gap), heightPx: laneHeight }));
  const lanesPx = lanes.length * (laneHeight + gap) - gap;
  const all = [...blocks, ...measuredBlocks];
  return {
    ...{ widthPx, heightPx: lanesPx + axisPx + legendPx, lanes, blocks: all, turns },
    axis: { y: lanesPx, from, to: until, ticks: layoutTicks(times, places) },
    legend: layoutLegend(all, namesAt(until)),
    legendY: lanesPx + axisPx,
  };
}

function layoutTicks(times: readonly [number, number], places: readonly [number, number]) {
  const x = clampedScale(times, places);
  const [start, end] = places;
  return timeTicks(times, Math.floor((end - start) / tickEveryPx))
    .map((at) => ({ x: x(at), at }))
    .filter((tick) => tick.x > start + tickEveryPx * 0.75 && tick.x < end - tickEveryPx * 0.75);
}

function layoutLegend(blocks: readonly PeriodBlock[], names: readonly string[]): PeriodsLayout['legend'] {
  const occurring = [...new Set(blocks.map(({ priority }) => priority))].sort(ascending);
  let x = left;
  return occurring.map((priority) => {
    const name = priority < 0 ? 'requests fail' : formatMiddleCut(names[priority] ?? `P${priority}`, 24);
    const placed = { priority, name, x };
    x += 18 + name.length * charWidth + 16;
    return placed;
  });
}

/**
 * The periods of one kind of client: neighbors that differ only for the other kind are one. With both kinds, every
 * period is its own.
 */
export function periodsOf(
  periods: readonly FailoverPeriod[],
  sides: readonly FlowSide[],
): readonly FailoverPeriod[] {
  const keyOf = ({ grpc, envoy, priorities }: FailoverPeriod): string =>
    JSON.stringify([sides.includes('grpc') && grpc, sides.includes('envoy') && envoy, priorities]);
  const joined: FailoverPeriod[] = [];
  for (const period of periods) {
    const before = joined.at(-1);
    if (before === undefined || keyOf(before) !== keyOf(period)) joined.push(period);
    else joined[joined.length - 1] = { ...before, toAt: period.toAt };
  }
  return joined;
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
  lane: number,
): PeriodBlock[] {
  return measuredRuns(measured, namesAt).flatMap(({ from, to, shares, text }) => {
    const names = namesAt(from);
    const start = x(from);
    const width = Math.max(1, x(to) - start);
    let y = lane * (laneHeight + gap);
    return shares.map(({ priority, share }): PeriodBlock => {
      const height = laneHeight * share;
      y += height;
      const key = `measured ${from} ${priority}`;
      const label = labelOf(names[priority] ?? `P${priority}`, width, height);
      return { key, x: start, y: y - height, width, height, priority, label, title: `measured: ${text}` };
    });
  });
}
