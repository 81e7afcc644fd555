import { max } from 'd3';
import type { EpochMs } from '../../xds/units';
import { kindOf } from './build-lanes';
import type { TimeScale } from './collapsed-axis';
import { isTroubleKind } from './event-shape';
import { entriesOf } from './layout-density';
import type { HistoryTimeline } from './schema';

interface OverviewBar {
  readonly x: number;
  /** 0 to 1, logarithmic. */
  readonly share: number;
  readonly hasTrouble: boolean;
}

export const overviewBinPx = 3;

export function layoutOverview(timeline: HistoryTimeline, { toX, widthPx }: TimeScale): OverviewBar[] {
  const counts = new Uint32Array(Math.ceil(widthPx / overviewBinPx) + 1);
  const troubles = new Uint8Array(counts.length);
  const add = (at: EpochMs, count: number, isTrouble: boolean) => {
    const bin = Math.floor(toX(at) / overviewBinPx);
    if (bin < 0 || bin >= counts.length) return;
    counts[bin] = (counts[bin] ?? 0) + count;
    if (isTrouble) troubles[bin] = 1;
  };
  if (timeline.kind === 'marks') {
    timeline.at.forEach((at, mark) => {
      add(at, 1, isTroubleKind(kindOf(timeline, mark)));
    });
  } else {
    for (const { at, counts: byKind } of timeline.buckets) {
      for (const [kind, count = 0] of entriesOf(byKind)) add(at, count, isTroubleKind(kind));
    }
  }
  const most = max(counts) ?? 1;
  return [...counts].flatMap((count, bin) => {
    const share = Math.log1p(count) / Math.log1p(most);
    return count === 0 ? [] : [{ x: bin * overviewBinPx, share, hasTrouble: troubles[bin] === 1 }];
  });
}
