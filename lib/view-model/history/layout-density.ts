import type { HistoryDensity } from '../../api/history';
import type { HistoryKind } from '../../api/history-kinds';
import { compareTypeUrls, formatResourceType } from '../../xds/resource-type';
import type { TimeScale } from './collapsed-axis';
import { isTroubleKind } from './event-shape';
import { type DensityBar, densityBar } from './layout-history';
import type { PlacedLanes, RowSource } from './place-lanes';

/** The types that a density reports, as rows in their fixed order; what has no type stands first. */
export function densityRows({ buckets }: HistoryDensity): RowSource[] {
  return [...new Set(buckets.map(({ typeUrl }) => typeUrl))]
    .sort((a, b) => Number(a !== '') - Number(b !== '') || compareTypeUrls(a, b))
    .map((typeUrl) => ({
      clientId: null,
      nodeId: null,
      label: typeUrl === '' ? 'streams' : formatResourceType(typeUrl),
      typeUrl,
      sourceId: '',
      track: 0,
    }));
}

/** Slices narrower than this are added up. */
const leastBarPx = 4;

export function layoutDensity(
  { buckets, bucketMs }: HistoryDensity,
  rows: readonly RowSource[],
  placed: PlacedLanes,
  { toX, window, widthPx }: TimeScale,
): DensityBar[] {
  const rowOf = new Map(rows.map(({ typeUrl }, row) => [typeUrl, row]));
  const sums = new Map<string, { x: number; width: number; row: number; count: number; troubles: number }>();
  for (const { at, typeUrl, counts } of buckets) {
    if (at + bucketMs < window.from || at > window.to) continue;
    const row = rowOf.get(typeUrl) ?? 0;
    const x = toX(at);
    if (x > widthPx) continue;
    const wide = toX(at + bucketMs) - x;
    const slice = wide >= leastBarPx ? x : Math.floor(x / leastBarPx) * leastBarPx;
    const key = `${row} ${slice}`;
    const sum = sums.get(key) ?? {
      x: slice,
      width: Math.max(wide, leastBarPx) - 1,
      row,
      count: 0,
      troubles: 0,
    };
    for (const [kind, count = 0] of entriesOf(counts)) {
      sum.count += count;
      if (isTroubleKind(kind)) sum.troubles += count;
    }
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ row, ...bar }) => densityBar({ ...bar, y: placed.middles[row] ?? 0 }));
}

/** Object.entries forgets that the keys are kinds. */
function entriesOf(counts: HistoryDensity['buckets'][number]['counts']): [HistoryKind, number | undefined][] {
  return Object.entries(counts) as [HistoryKind, number | undefined][];
}
