import { by, inTurn } from '../../collections/compare';
import { compareNames } from '../../format/compare-names';
import { compareTypeUrls } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import { isTroubleKind } from './event-shape';
import { type HistoryKind, historyKinds } from './history-kinds';
import type { HistoryMarks } from './schema';

/** One line of the drawing: the events of one type on one track of streams. */
export interface HistoryLane {
  readonly id: string;
  /** "CDS", "stream", or the source id of events without a stream. */
  readonly label: string;
  readonly clientId: string | undefined;
  readonly nodeId: string | undefined;
  readonly sourceId: string;
  readonly typeUrl: string | undefined;
  /** The track, from 0. Streams of a client at the same time are on different tracks. */
  readonly track: number;
  /** Indexes of marks, oldest first. */
  readonly marks: Int32Array;
  readonly ats: Float64Array;
  /** The number of marks in trouble before each index; one entry longer than `marks`. */
  readonly troublesBefore: Int32Array;
}

/** The time in which a stream was open, over the lanes of its track. */
export interface StreamBand {
  readonly streamId: string;
  readonly from: EpochMs;
  /** null if its end was not observed. */
  readonly to: EpochMs | null;
  /** True if its start is older than the marks. */
  readonly isOlder: boolean;
  readonly firstLane: number;
  readonly lastLane: number;
}

export interface HistoryLanes {
  readonly marks: HistoryMarks;
  /** Sorted by client, source, track and type. */
  readonly lanes: readonly HistoryLane[];
  /** The index of the lane, by mark. */
  readonly laneOf: Int32Array;
  readonly bands: readonly StreamBand[];
}

const isTrouble = historyKinds.map(isTroubleKind);

type MarkLane = HistoryMarks['lanes'][number];

/** Groups marks by lane. Lanes are sorted by name, not by time, so that new events do not reorder them. */
export function buildLanes(marks: HistoryMarks): HistoryLanes {
  const lives = findLives(marks);
  const tracks = placeTracks(marks.lanes, lives);
  const ofLoad = findLoadStreams(marks);
  const groups = new Map<string, LaneGroup>();
  const groupOf = marks.lanes.map((lane) => {
    const track = tracks.get(streamKey(lane)) ?? 0;
    const isOfLoad = lane.streamId !== undefined && ofLoad.has(streamKey(lane));
    const stream = lane.streamId !== undefined && (isOfLoad ? 'load' : 'resources');
    const id = JSON.stringify([lane.clientId, lane.sourceId, stream, track, lane.typeUrl]);
    const group = groups.get(id) ?? { lane, isOfLoad, track, places: [] };
    groups.set(id, group);
    return group;
  });
  for (let mark = 0; mark < marks.lane.length; mark++) groupOf[marks.lane[mark] ?? 0]?.places.push(mark);
  const sorted = [...groups].sort(by(([, lane]) => lane, compareLanes));
  const laneOf = new Int32Array(marks.seq.length);
  const lanes = sorted.map(([id, { lane, isOfLoad, track, places }], place): HistoryLane => {
    for (const mark of places) laneOf[mark] = place;
    const { clientId, nodeId, sourceId, typeUrl } = lane;
    const label = laneLabel(lane, isOfLoad);
    const ats = Float64Array.from(places, (mark) => marks.at[mark] ?? 0);
    const troublesBefore = new Int32Array(places.length + 1);
    places.forEach((mark, index) => {
      const troubles = isTrouble[marks.kinds[mark] ?? -1] === true ? 1 : 0;
      troublesBefore[index + 1] = (troublesBefore[index] ?? 0) + troubles;
    });
    const own = { ats, troublesBefore, marks: Int32Array.from(places) };
    return { id, label, clientId, nodeId, sourceId, typeUrl, track, ...own };
  });
  const placeOf = new Map(sorted.map(([, group], place) => [group, place]));
  const places = groupOf.map((group) => placeOf.get(group) ?? 0);
  return { marks, lanes, laneOf, bands: findBands(marks, lives, places) };
}

/** Stream ids are unique within a source only. */
function streamKey({ clientId, sourceId, streamId }: MarkLane): string {
  return JSON.stringify([clientId, sourceId, streamId]);
}

interface Life extends StreamLife {
  readonly isOpened: boolean;
}

const opened = historyKinds.indexOf('stream-opened');
const closed = historyKinds.indexOf('stream-closed');
const loadReported = historyKinds.indexOf('load-reported');

function findLives(marks: HistoryMarks): Map<string, Life> {
  const lives = new Map<string, { -readonly [Key in keyof Life]: Life[Key] }>();
  // Marks are many: each finds its stream by the index of its lane.
  const byLane = marks.lanes.map((lane) => {
    if (lane.streamId === undefined) return undefined;
    const streamId = streamKey(lane);
    const unseen = { streamId, from: Number.NaN, to: 0, isClosed: false, isOpened: false };
    const life = lives.get(streamId) ?? unseen;
    lives.set(streamId, life);
    return life;
  });
  for (let mark = 0; mark < marks.seq.length; mark++) {
    const life = byLane[marks.lane[mark] ?? 0];
    if (life === undefined) continue;
    const at = marks.at[mark] ?? 0;
    const kind = marks.kinds[mark];
    if (Number.isNaN(life.from)) life.from = at;
    life.to = at;
    if (kind === closed) life.isClosed = true;
    else if (kind === opened) life.isOpened = true;
  }
  return new Map([...lives].filter(([, { from }]) => !Number.isNaN(from)));
}

function placeTracks(lanes: readonly MarkLane[], lives: ReadonlyMap<string, Life>): Map<string, number> {
  const bySource = new Map<string, Map<string, Life>>();
  for (const lane of lanes) {
    const key = streamKey(lane);
    const life = lives.get(key);
    if (life === undefined) continue;
    const source = JSON.stringify([lane.clientId, lane.sourceId]);
    const own = bySource.get(source) ?? new Map<string, Life>();
    bySource.set(source, own.set(key, life));
  }
  return new Map([...bySource.values()].flatMap((own) => [...placeStreams([...own.values()])]));
}

function findBands(
  marks: HistoryMarks,
  lives: ReadonlyMap<string, Life>,
  placeOf: readonly number[],
): StreamBand[] {
  const reach = new Map<string, { first: number; last: number }>();
  marks.lanes.forEach((lane, index) => {
    if (lane.streamId === undefined) return;
    const place = placeOf[index] ?? 0;
    const key = streamKey(lane);
    const known = reach.get(key) ?? { first: place, last: place };
    reach.set(key, { first: Math.min(known.first, place), last: Math.max(known.last, place) });
  });
  return [...reach].flatMap(([streamId, { first, last }]) => {
    const life = lives.get(streamId);
    if (life === undefined) return [];
    const { from, to, isClosed, isOpened } = life;
    return [
      { streamId, from, to: isClosed ? to : null, isOlder: !isOpened, firstLane: first, lastLane: last },
    ];
  });
}

function laneLabel(
  { service, typeUrl, streamId, sourceId, sourceKind }: MarkLane,
  isOfLoad: boolean,
): string {
  const stream = isOfLoad || sourceKind === 'lrs' ? 'LRS' : 'stream';
  return service ?? typeUrl ?? (streamId === undefined ? sourceId : stream);
}

/** Returns the streamKey() of streams that carry load reports, which a tap observes besides xDS streams. */
function findLoadStreams(marks: HistoryMarks): Set<string> {
  const found = new Set<number>();
  for (let mark = 0; mark < marks.seq.length; mark++) {
    if (marks.kinds[mark] === loadReported) found.add(marks.lane[mark] ?? 0);
  }
  return new Set([...found].flatMap((index) => marks.lanes[index] ?? []).map(streamKey));
}

interface LaneGroup {
  readonly lane: MarkLane;
  /** True for a stream of load reports. */
  readonly isOfLoad: boolean;
  readonly track: number;
  /** Indexes of marks. */
  readonly places: number[];
}

function compareLanes(groupA: LaneGroup, groupB: LaneGroup): number {
  const [a, b] = [groupA.lane, groupB.lane];
  return (
    // Lanes without a client are last: sources and the lab.
    Number(a.clientId === undefined) - Number(b.clientId === undefined) ||
    compareNames(a.nodeId ?? '', b.nodeId ?? '') ||
    compareNames(a.clientId ?? '', b.clientId ?? '') ||
    // Load reports come last, below the streams and polls of resources.
    Number(isLoad(groupA)) - Number(isLoad(groupB)) ||
    // Streams come before polls.
    Number(a.streamId === undefined) - Number(b.streamId === undefined) ||
    compareNames(a.sourceId, b.sourceId) ||
    groupA.track - groupB.track ||
    Number(a.typeUrl !== undefined) - Number(b.typeUrl !== undefined) ||
    compareTypeUrls(a.typeUrl ?? '', b.typeUrl ?? '')
  );
}

function isLoad({ isOfLoad, lane: { sourceKind } }: LaneGroup): boolean {
  return isOfLoad || sourceKind === 'lrs';
}

export function kindOf(marks: HistoryMarks, mark: number): HistoryKind {
  return historyKinds[marks.kinds[mark] ?? -1] ?? 'lab-event';
}

/** One stream of one client, from its first known event to its last. */
interface StreamLife {
  readonly streamId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** True if its end was observed. */
  readonly isClosed: boolean;
}

/**
 * Returns each stream's track, from 0. Streams that follow one another share a track; streams at the same time do not. A
 * stream whose end was not observed ends at its last event if a later stream is on its track.
 */
function placeStreams(lives: readonly StreamLife[]): Map<string, number> {
  const ends: EpochMs[] = [];
  const placed = new Map<string, number>();
  const inOrder = [...lives].sort(
    inTurn(
      by(({ from }) => from),
      by(({ streamId }) => streamId),
    ),
  );
  for (const { streamId, from, to } of inOrder) {
    const free = ends.findIndex((end) => end <= from);
    const track = free === -1 ? ends.length : free;
    ends[track] = to;
    placed.set(streamId, track);
  }
  return placed;
}
