import { byDescending, inTurn } from '../../collections/compare';
import { historyKinds } from './history-kinds';
import type { HistoryEvent, HistoryMarks } from './schema';
import { sortMarks } from './sort-marks';

/** Adds newer events to the marks, in the order of time. Events that are among the marks already are left out. */
export function appendEvents(marks: HistoryMarks, events: readonly HistoryEvent[]): HistoryMarks {
  const newestSeq = marks.seq.reduce((newest, seq) => Math.max(newest, seq), 0);
  const added = events.filter(({ seq }) => seq > newestSeq);
  if (added.length === 0) return marks;
  const lanes = [...marks.lanes];
  const laneIds = new Map(
    lanes.map(({ clientId, sourceId, streamId, typeUrl }, index) => [
      laneKey({ clientId, sourceId, streamId, typeUrl }),
      index,
    ]),
  );
  const laneOf = added.map((event) => {
    const id = laneKey(event);
    const known = laneIds.get(id);
    if (known !== undefined) return known;
    const { clientId, nodeId, sourceId, sourceKind, streamId, typeUrl, service } = event;
    lanes.push({ id, clientId, nodeId, sourceId, sourceKind, streamId, typeUrl, service });
    laneIds.set(id, lanes.length - 1);
    return lanes.length - 1;
  });
  return sortMarks({
    ...marks,
    lanes,
    to: added.reduce((to, { at }) => Math.max(to, at), marks.to),
    seq: [...marks.seq, ...added.map(({ seq }) => seq)],
    at: [...marks.at, ...added.map(({ at }) => at)],
    kinds: [...marks.kinds, ...added.map(({ kind }) => historyKinds.indexOf(kind))],
    lane: [...marks.lane, ...laneOf],
    tookMs: [...marks.tookMs, ...added.map(({ tookMs }) => tookMs ?? -1)],
    pair: [...marks.pair, ...added.map(({ pairSeq }) => pairSeq ?? -1)],
  });
}

function laneKey(lane: Pick<HistoryEvent, 'clientId' | 'sourceId' | 'streamId' | 'typeUrl'>): string {
  return JSON.stringify([lane.clientId, lane.sourceId, lane.streamId, lane.typeUrl]);
}

/** Newest first: by time, then by the order of the log. Pages follow the order of the log, as their cursors do. */
export function sortEvents<Event extends Pick<HistoryEvent, 'at' | 'seq'>>(
  events: readonly Event[],
): Event[] {
  // ISO times in UTC with milliseconds sort like their texts.
  return [...events].sort(
    inTurn(
      byDescending(({ at }) => at),
      byDescending(({ seq }) => seq),
    ),
  );
}
