import type { Span } from './layout-axis';

/** WCAG 2.2, 2.5.8: "The size of the target for pointer inputs is at least 24 by 24 CSS pixels". */
const leastTargetPx = 24;

/** The target of one press: a mark, or several that are too close to be pressed separately. */
interface Target<T> extends Span {
  /** The marks are ordered by the place where they begin. */
  readonly marks: readonly T[];
}

/** Targets that contain the visible part of their marks, within a track of this width, and do not overlap. */
export function mergeTargets<T extends Span>(marks: readonly T[], trackPx: number): Target<T>[] {
  const merged: { x: number; end: number; marks: T[] }[] = [];
  for (const next of marks.map((mark) => widen(mark, trackPx)).sort((a, b) => a.x - b.x)) {
    const last = merged.at(-1);
    if (last === undefined || next.x >= last.end) merged.push({ ...next, marks: [next.mark] });
    else {
      last.end = Math.max(last.end, next.end);
      last.marks.push(next.mark);
    }
  }
  return merged.map(({ x, end, marks: inside }) => ({
    x,
    width: end - x,
    marks: inside.sort((a, b) => a.x - b.x),
  }));
}

function widen<T extends Span>(mark: T, trackPx: number): { mark: T; x: number; end: number } {
  const from = Math.max(0, mark.x);
  const to = Math.min(trackPx, mark.x + mark.width);
  const width = Math.min(trackPx, Math.max(leastTargetPx, to - from));
  const x = Math.max(0, Math.min(trackPx - width, (from + to - width) / 2));
  return { mark, x, end: x + width };
}
