import type { HistoryDensity } from '../../api/history';
import type { HistoryKind } from '../../api/history-kinds';

interface Counted {
  readonly at: number;
  readonly typeUrl: string | null;
  readonly kind: HistoryKind;
  readonly count: number;
}

/** One bucket for each slice of time and type, with its counts by kind. */
export function buildHistoryDensity(
  counted: readonly Counted[],
): Pick<HistoryDensity, 'kind' | 'total' | 'buckets'> {
  const buckets = new Map<string, HistoryDensity['buckets'][number]>();
  let total = 0;
  for (const { at, typeUrl, kind, count } of counted) {
    total += count;
    const key = `${at} ${typeUrl}`;
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { at, typeUrl: typeUrl ?? '', counts: {} };
      buckets.set(key, bucket);
    }
    bucket.counts[kind] = (bucket.counts[kind] ?? 0) + count;
  }
  return { kind: 'density', total, buckets: [...buckets.values()].sort((a, b) => a.at - b.at) };
}
