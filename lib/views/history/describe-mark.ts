import { formatDuration } from '../../format/duration';
import { formatExactTime } from '../../format/exact-time';
import { kindOf } from './build-lanes';
import { eventShape } from './event-shape';
import type { HistoryMarks } from './schema';

/** "NACK, CDS, shop-web, 2026-11-21 02:31:07.042 GMT+1, 12 ms after its response". */
export function describeMark(marks: HistoryMarks, mark: number, timeZone: string): string {
  const kind = kindOf(marks, mark);
  const lane = marks.lanes[marks.lane[mark] ?? -1];
  const tookMs = marks.tookMs[mark] ?? -1;
  const since = kind === 'response-received' ? 'its request' : 'its response';
  const parts = [
    eventShape(kind).word,
    lane?.service ?? lane?.typeUrl ?? '',
    lane?.nodeId ?? lane?.sourceId ?? '',
    formatExactTime(marks.at[mark] ?? Number.NaN, timeZone),
    tookMs < 0 ? '' : `${formatDuration(tookMs)} after ${since}`,
  ];
  return parts.filter(Boolean).join(', ');
}
