import type { StreamBand } from './build-lanes';
import type { TimeScale } from './collapsed-axis';
import { laneHeightPx, type PlacedLanes } from './place-lanes';

/** CSS pixels from the window's left and the rows' top. */
export interface BandBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly heightPx: number;
  /** True if its start or its end, respectively, is visible and known. */
  readonly begins: boolean;
  readonly ends: boolean;
}

const insetPx = 1;

/** Places streams as bands over their lanes. A stream whose end was not observed reaches to the edge. */
export function layoutBands(
  bands: readonly StreamBand[],
  placed: PlacedLanes,
  { toX, widthPx }: TimeScale,
): BandBox[] {
  return bands.flatMap(({ from, to, isOlder, firstLane, lastLane }) => {
    const start = isOlder ? -1 : toX(from);
    const end = to === null ? widthPx + 1 : toX(to);
    if (end < 0 || start > widthPx) return [];
    const top = (placed.middles[firstLane] ?? 0) - laneHeightPx / 2 + insetPx;
    const bottom = (placed.middles[lastLane] ?? 0) + laneHeightPx / 2 - insetPx;
    const x = Math.max(-1, start);
    const width = Math.max(1, Math.min(end, widthPx + 1) - x);
    const [begins, ends] = [!isOlder && start >= 0, to !== null && end <= widthPx];
    return [{ x, y: top, width, heightPx: bottom - top, begins, ends }];
  });
}
