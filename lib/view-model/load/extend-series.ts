import type { LoadSeriesAnswer, LoadSeriesLine } from '../../api/load';

/**
 * What was read before, with what was read of its end since: steps that the span has left go, those that `tail` reports are
 * as it reports them, sums and ranks are the newer ones. undefined: the two do not fit together (other steps, steps between
 * them that no source reported, a line of which only the end is known), and all of it has to be read.
 */
export function extendSeries(before: LoadSeriesAnswer, tail: LoadSeriesAnswer): LoadSeriesAnswer | undefined {
  const { stepMs } = tail;
  const stepOf = (time: string): number => (Date.parse(time) - Date.parse(before.from)) / stepMs;
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
  // Of the same lines, those that are beyond the limit are the same ones, too.
  if ((before.others === null) !== (tail.others === null) || groups.length !== before.groups.length)
    return undefined;
  const others =
    before.others === null || tail.others === null ? null : joined(before.others, tail.others, left, kept);
  return { ...tail, valuesFrom: tail.from, groups, others };
}

function joined(before: LoadSeriesLine, tail: LoadSeriesLine, left: number, kept: number): LoadSeriesLine {
  const values = Object.entries(tail.values).map(([measure, ends]) => [
    measure,
    [...(before.values[measure] ?? []).slice(left, kept), ...ends],
  ]);
  return { ...tail, values: Object.fromEntries(values) };
}

/** Where to begin to read again: reports of the last steps may have come late. Two steps are reported again. */
export function tailBegin({ to, from, stepMs }: LoadSeriesAnswer): string {
  const at = Date.parse(to) - 2 * stepMs;
  return new Date(Math.max(Date.parse(from), at)).toISOString();
}
