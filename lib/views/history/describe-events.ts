import { bisectLeft, bisectRight } from 'd3';
import { byDescending, inTurn } from '../../collections/compare';
import type { EpochMs } from '../../xds/units';
import { kindOf } from './build-lanes';
import { eventShape, isTroubleKind } from './event-shape';
import type { HistoryKind } from './history-kinds';
import { entriesOf } from './layout-density';
import type { HistoryTimeline } from './schema';

const mostKinds = 3;

/** The events between two times, trouble first: "NACK, CDS", "NACK × 2, ACK × 5 and 3 more"; empty: none. */
export function describeEvents(timeline: HistoryTimeline, from: EpochMs, to: EpochMs): string {
  const counts = new Map<HistoryKind, number>();
  const add = (kind: HistoryKind, count: number) => counts.set(kind, (counts.get(kind) ?? 0) + count);
  if (timeline.kind === 'marks') {
    const [first, end] = [bisectLeft(timeline.at, from), bisectRight(timeline.at, to)];
    if (end - first === 1) {
      const service = timeline.lanes[timeline.lane[first] ?? -1]?.service ?? '';
      return [eventShape(kindOf(timeline, first)).word, service].filter(Boolean).join(', ');
    }
    for (let mark = first; mark < end; mark += 1) add(kindOf(timeline, mark), 1);
  } else {
    for (const { at, counts: byKind } of timeline.buckets) {
      if (at + timeline.bucketMs <= from || at > to) continue;
      for (const [kind, count = 0] of entriesOf(byKind)) add(kind, count);
    }
  }
  const ranked = [...counts].sort(
    inTurn(
      byDescending(([kind]) => isTroubleKind(kind)),
      byDescending(([, count]) => count),
    ),
  );
  const texts = ranked
    .slice(0, mostKinds)
    .map(([kind, count]) => `${eventShape(kind).word}${count === 1 ? '' : ` × ${count}`}`);
  const others = ranked.slice(mostKinds).reduce((sum, [, count]) => sum + count, 0);
  return texts.join(', ') + (others === 0 ? '' : ` and ${others} more`);
}
