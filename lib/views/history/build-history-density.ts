import { sum } from 'd3';
import { by } from '../../collections/compare';
import type { HistoryKind } from './history-kinds';
import type { HistoryDensity } from './schema';

interface Counted {
  readonly at: number;
  readonly typeUrl: string | null;
  readonly kind: HistoryKind;
  readonly count: number;
}

export function buildHistoryDensity(
  counted: readonly Counted[],
): Pick<HistoryDensity, 'kind' | 'total' | 'buckets'> {
  const buckets = new Map<string, HistoryDensity['buckets'][number]>();
  for (const { at, typeUrl, kind, count } of counted) {
    const key = `${at} ${typeUrl}`;
    const bucket = buckets.get(key) ?? { at, typeUrl: typeUrl ?? '', counts: {} };
    buckets.set(key, bucket);
    bucket.counts[kind] = (bucket.counts[kind] ?? 0) + count;
  }
  const total = sum(counted, ({ count }) => count);
  return { kind: 'density', total, buckets: [...buckets.values()].sort(by(({ at }) => at)) };
}
