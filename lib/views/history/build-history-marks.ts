import { formatResourceType } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import type { HistoryEventContext } from './build-history-event';
import { type HistoryKind, historyKinds } from './history-kinds';
import type { HistoryMarks } from './schema';
import { sortMarks } from './sort-marks';

/** The part of an observation that is drawn. `typeUrl`: null if it is about no type, or about several. */
export interface HistoryMark {
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind: HistoryKind;
  readonly sourceId: string;
  readonly clientId: string | undefined;
  readonly streamId: string | undefined;
  readonly typeUrl: string | undefined;
  readonly tookMs: number | null;
  readonly pairSeq: number | null;
}

type Lane = HistoryMarks['lanes'][number];

type LaneContext = Pick<HistoryEventContext, 'nodeIdOf' | 'findSource'>;

const kindIndex = new Map(historyKinds.map((kind, index) => [kind, index]));

/** Builds marks as columns in the order of time, with their lanes in the order of the first marks. */
export function buildHistoryMarks(
  marks: readonly HistoryMark[],
  context: LaneContext,
): Pick<HistoryMarks, 'kind' | 'lanes' | 'seq' | 'at' | 'kinds' | 'lane' | 'tookMs' | 'pair'> {
  const lanes = new Map<string, { readonly index: number; readonly lane: Lane }>();
  const lane = marks.map((mark) => {
    const id = [mark.clientId, mark.sourceId, mark.streamId, mark.typeUrl].join('\u0000');
    const known = lanes.get(id) ?? { index: lanes.size, lane: laneOf(id, mark, context) };
    lanes.set(id, known);
    return known.index;
  });
  return sortMarks({
    kind: 'marks',
    lanes: Array.from(lanes.values(), (known) => known.lane),
    seq: marks.map(({ seq }) => seq),
    at: marks.map(({ at }) => at),
    kinds: marks.map(({ kind }) => kindIndex.get(kind) ?? -1),
    lane,
    tookMs: marks.map(({ tookMs }) => tookMs ?? -1),
    pair: marks.map(({ pairSeq }) => pairSeq ?? -1),
  });
}

function laneOf(
  id: string,
  { clientId, sourceId, streamId, typeUrl }: HistoryMark,
  { nodeIdOf, findSource }: LaneContext,
): Lane {
  return {
    id,
    clientId,
    nodeId: clientId === undefined ? undefined : nodeIdOf(clientId),
    sourceId,
    sourceKind: findSource(sourceId)?.kind,
    streamId,
    typeUrl,
    service: typeUrl === undefined ? undefined : formatResourceType(typeUrl),
  };
}
