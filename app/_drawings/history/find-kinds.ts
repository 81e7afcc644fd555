import { type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';
import type { HistoryTimeline } from '@/lib/views/history/schema';

/** The kinds that occur, in a fixed order. */
export function findKinds(timeline: HistoryTimeline): HistoryKind[] {
  const seen =
    timeline.kind === 'marks'
      ? new Set(timeline.kinds.map((kind) => historyKinds[kind]))
      : new Set<string | undefined>(timeline.buckets.flatMap(({ counts }) => Object.keys(counts)));
  return historyKinds.filter((kind) => seen.has(kind));
}
