import { type HistoryEvent, type HistoryMarks, historyKinds } from '../../api/history';

/** Marks with newer events behind them, oldest first. What is among them already does not come twice. */
export function appendEvents(marks: HistoryMarks, events: readonly HistoryEvent[]): HistoryMarks {
  const newestSeq = marks.seq.at(-1) ?? 0;
  const added = events.filter(({ seq }) => seq > newestSeq).sort((a, b) => a.seq - b.seq);
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
    const { clientId, nodeId, sourceId, streamId, typeUrl, service } = event;
    lanes.push({ id, clientId, nodeId, sourceId, streamId, typeUrl, service });
    laneIds.set(id, lanes.length - 1);
    return lanes.length - 1;
  });
  // The axis is one of time: a clock that was set back must not make it run backwards.
  let at = marks.at.at(-1) ?? Number.NEGATIVE_INFINITY;
  const times = added.map((event) => {
    at = Math.max(at, Date.parse(event.at));
    return at;
  });
  return {
    ...marks,
    lanes,
    to: Math.max(marks.to, at),
    seq: [...marks.seq, ...added.map(({ seq }) => seq)],
    at: [...marks.at, ...times],
    kinds: [...marks.kinds, ...added.map(({ kind }) => historyKinds.indexOf(kind))],
    lane: [...marks.lane, ...laneOf],
    tookMs: [...marks.tookMs, ...added.map(({ tookMs }) => tookMs ?? -1)],
    pair: [...marks.pair, ...added.map(({ pairSeq }) => pairSeq ?? -1)],
  };
}

function laneKey(lane: Pick<HistoryEvent, 'clientId' | 'sourceId' | 'streamId' | 'typeUrl'>): string {
  return JSON.stringify([lane.clientId, lane.sourceId, lane.streamId, lane.typeUrl]);
}
