import { by, inTurn } from '../../collections/compare';
import { compareTypeUrls, formatResourceType } from '../../xds/resource-type';
import type { TimeScale } from './collapsed-axis';
import { isTroubleKind } from './event-shape';
import type { HistoryKind } from './history-kinds';
import { type DensityBar, densityBar } from './layout-history';
import type { PlacedLanes, RowSource } from './place-lanes';
import type { HistoryDensity } from './schema';

/** Builds one row for each type, in the fixed order of types; events without a type are first. */
export function densityRows({ buckets }: HistoryDensity): RowSource[] {
  return [...new Set(buckets.map(({ typeUrl }) => typeUrl))]
    .sort(
      inTurn(
        by((each) => each !== ''),
        compareTypeUrls,
      ),
    )
    .map((typeUrl) => ({
      clientId: undefined,
      nodeId: undefined,
      label: typeUrl === '' ? 'streams' : formatResourceType(typeUrl),
      typeUrl,
      sourceId: '',
      track: 0,
    }));
}

/** Narrower slices are added up. */
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
    const empty = { x: slice, width: Math.max(wide, leastBarPx) - 1, row, count: 0, troubles: 0 };
    const sum = sums.get(key) ?? empty;
    for (const [kind, count = 0] of entriesOf(counts)) {
      sum.count += count;
      if (isTroubleKind(kind)) sum.troubles += count;
    }
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ row, ...bar }) => densityBar({ ...bar, y: placed.middles[row] ?? 0 }));
}

/** Object.entries, with the type of the keys. */
export function entriesOf(
  counts: HistoryDensity['buckets'][number]['counts'],
): [HistoryKind, number | undefined][] {
  return Object.entries(counts) as [HistoryKind, number | undefined][];
}
