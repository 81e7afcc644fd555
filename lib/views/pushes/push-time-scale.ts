import { type AxisScale, logScale } from '../drawing/axis-scale';

/** The beginning of the logarithmic axis of the time since a push. */
export const leastMs = 1;

/** Places the time since a push; `toMs` is the end of the axis. */
export function pushTimeScale(
  { x, width }: { readonly x: number; readonly width: number },
  toMs: number,
): AxisScale {
  return logScale([leastMs, toMs], [x, x + width]);
}
