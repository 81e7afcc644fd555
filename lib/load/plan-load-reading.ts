import type { EpochMs } from '../xds/units';

/** A time range [from, to). */
export interface LoadSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export interface LoadReach {
  readonly raw: EpochMs;
  readonly minutes: EpochMs;
  readonly hours: EpochMs;
}

export interface LoadReadingPlan {
  /** The requested range, extended to whole minutes or hours where no raw values are kept. */
  readonly span: LoadSpan;
  readonly hours: readonly LoadSpan[];
  readonly minutes: readonly LoadSpan[];
  readonly raw: readonly LoadSpan[];
}

export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** Splits a time range into hours, minutes and raw values, without overlaps. `coarsest` limits the resolution. */
export function planLoadReading(
  asked: LoadSpan,
  coarsest: 'hours' | 'minutes' | 'raw',
  reach: LoadReach,
): LoadReadingPlan {
  const span = {
    from: floorTo(asked.from, resolutionAt(asked.from, reach)),
    to: ceilTo(asked.to, resolutionAt(asked.to, reach)),
  };
  const hours = coarsest === 'hours' ? cut(span, hourMs) : nothing(span);
  const inMinutes = hours.rest.map((rest) => (coarsest === 'raw' ? nothing(rest) : cut(rest, minuteMs)));
  return {
    span,
    hours: hours.whole,
    minutes: inMinutes.flatMap(({ whole }) => whole),
    raw: inMinutes.flatMap(({ rest }) => rest),
  };
}

/** Plans to read each part of a time range at the finest resolution that is kept. */
export function planFinestReading(asked: LoadSpan, reach: LoadReach): LoadReadingPlan {
  const between = (from: EpochMs, to: EpochMs, unitMs: number): LoadSpan[] => {
    const part = { from: Math.max(asked.from, from), to: Math.min(asked.to, to) };
    if (part.to <= part.from) return [];
    return [{ from: floorTo(part.from, unitMs), to: ceilTo(part.to, unitMs) }];
  };
  const minutesFrom = Math.max(reach.minutes, reach.hours);
  const rawFrom = Math.max(reach.raw, minutesFrom);
  const hours = between(Number.NEGATIVE_INFINITY, minutesFrom, hourMs);
  const minutes = between(minutesFrom, rawFrom, minuteMs);
  const raw = between(rawFrom, Number.POSITIVE_INFINITY, 1);
  const all = [...hours, ...minutes, ...raw];
  const span = { from: all[0]?.from ?? asked.from, to: all.at(-1)?.to ?? asked.to };
  return { span, hours, minutes, raw };
}

function resolutionAt(at: EpochMs, reach: LoadReach): number {
  if (at < reach.minutes) return hourMs;
  return at < reach.raw ? minuteMs : 1;
}

interface Cut {
  readonly whole: readonly LoadSpan[];
  readonly rest: readonly LoadSpan[];
}

function nothing(span: LoadSpan): Cut {
  return { whole: [], rest: span.to > span.from ? [span] : [] };
}

/** Returns the whole units inside, and the parts before and after them. */
function cut(span: LoadSpan, unitMs: number): Cut {
  const from = ceilTo(span.from, unitMs);
  const to = floorTo(span.to, unitMs);
  if (to <= from) return nothing(span);
  const rest = [
    { from: span.from, to: from },
    { from: to, to: span.to },
  ].filter((part) => part.to > part.from);
  return { whole: [{ from, to }], rest };
}

export function floorTo(at: EpochMs, unitMs: number): EpochMs {
  return Math.floor(at / unitMs) * unitMs;
}

export function ceilTo(at: EpochMs, unitMs: number): EpochMs {
  return Math.ceil(at / unitMs) * unitMs;
}
