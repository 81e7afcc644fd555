import type { EpochMs } from '../../xds/units';
import type { LoadSeriesAnswer, LoadSeriesLine } from './schema';

/**
 * Extends a series with its newer end. Steps before the start of `tail` are removed, steps in `tail` replace older ones, and
 * sums and ranks are those of `tail`. Returns undefined if the two do not fit (other steps, a gap, a line without a
 * start), so that the whole series has to be read.
 */
export function extendSeries(before: LoadSeriesAnswer, tail: LoadSeriesAnswer): LoadSeriesAnswer | undefined {
  const { stepMs } = tail;
  const stepOf = (time: EpochMs): number => (time - before.from) / stepMs;
  const left = stepOf(tail.from);
  const kept = stepOf(tail.valuesFrom);
  const fits =
    before.stepMs === stepMs &&
    before.by === tail.by &&
    before.valuesFrom === before.from &&
    Number.isInteger(left) &&
    Number.isInteger(kept) &&
    0 <= left &&
    left <= kept &&
    kept <= stepOf(before.to);
  if (!fits) return undefined;
  const known = new Map(before.groups.map((line) => [JSON.stringify(line.key), line]));
  const groups = tail.groups.map((line) => {
    const earlier = known.get(JSON.stringify(line.key));
    return earlier && joined(earlier, line, left, kept);
  });
  if (!groups.every((line) => line !== undefined)) return undefined;
  // With the same lines, the lines beyond the limit are also the same.
  if ((before.others === undefined) !== (tail.others === undefined) || groups.length !== before.groups.length)
    return undefined;
  const others =
    before.others === undefined || tail.others === undefined
      ? undefined
      : joined(before.others, tail.others, left, kept);
  return { ...tail, valuesFrom: tail.from, groups, others };
}

function joined(before: LoadSeriesLine, tail: LoadSeriesLine, left: number, kept: number): LoadSeriesLine {
  const values = Object.entries(tail.values).map(([measure, ends]) => [
    measure,
    [...(before.values[measure] ?? []).slice(left, kept), ...ends],
  ]);
  return { ...tail, values: Object.fromEntries(values) };
}

/** The start of the newer end. The last two steps are read again, since reports may be late. */
export function tailBegin({ to, from, stepMs }: LoadSeriesAnswer): EpochMs {
  return Math.max(from, to - 2 * stepMs);
}
