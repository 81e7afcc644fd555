import type { HistoryMarks } from '../../api/history';
import { type HistoryKind, historyKinds } from '../../api/history-kinds';
import { compareNames } from '../../format/compare-names';
import { compareTypeUrls, formatResourceType } from '../../xds/resource-type';
import type { HistoryEventContext } from './build-history-event';
import { sortMarks } from './sort-marks';

interface Mark {
  readonly seq: number;
  readonly at: number;
  readonly kind: HistoryKind;
  readonly sourceId: string;
  readonly clientId: string | null;
  readonly streamId: string | null;
  readonly typeUrl: string | null;
  readonly tookMs: number | null;
  readonly pairSeq: number | null;
}

type Lane = HistoryMarks['lanes'][number];

type LaneContext = Pick<HistoryEventContext, 'nodeIdOf' | 'findSource'>;

const kindIndex = new Map(historyKinds.map((kind, index) => [kind, index]));

/** Marks as columns in the order of time, with their lanes: what has no client first, then client by client, stream by stream. */
export function buildHistoryMarks(
  marks: readonly Mark[],
  context: LaneContext,
): Pick<HistoryMarks, 'kind' | 'lanes' | 'seq' | 'at' | 'kinds' | 'lane' | 'tookMs' | 'pair'> {
  const found = new Map<string, Lane>();
  const ids = marks.map((mark) => {
    const id = [mark.clientId, mark.sourceId, mark.streamId, mark.typeUrl].join('\u0000');
    if (!found.has(id)) found.set(id, laneOf(id, mark, context));
    return id;
  });
  const lanes = [...found.values()].sort(compareLanes);
  const place = new Map(lanes.map(({ id }, index) => [id, index]));
  return sortMarks({
    kind: 'marks',
    lanes,
    seq: marks.map(({ seq }) => seq),
    at: marks.map(({ at }) => at),
    kinds: marks.map(({ kind }) => kindIndex.get(kind) ?? -1),
    lane: ids.map((id) => place.get(id) ?? -1),
    tookMs: marks.map(({ tookMs }) => tookMs ?? -1),
    pair: marks.map(({ pairSeq }) => pairSeq ?? -1),
  });
}

function laneOf(
  id: string,
  { clientId, sourceId, streamId, typeUrl }: Mark,
  { nodeIdOf, findSource }: LaneContext,
): Lane {
  return {
    id,
    clientId,
    nodeId: clientId === null ? null : (nodeIdOf(clientId) ?? null),
    sourceId,
    sourceKind: findSource(sourceId)?.kind ?? null,
    streamId,
    typeUrl,
    service: typeUrl === null ? null : formatResourceType(typeUrl),
  };
}

function compareLanes(a: Lane, b: Lane): number {
  return (
    compareNames(a.nodeId ?? '', b.nodeId ?? '') ||
    compareNames(a.clientId ?? '', b.clientId ?? '') ||
    compareNames(a.sourceId, b.sourceId) ||
    compareNames(a.streamId ?? '', b.streamId ?? '') ||
    Number(a.typeUrl !== null) - Number(b.typeUrl !== null) ||
    compareTypeUrls(a.typeUrl ?? '', b.typeUrl ?? '')
  );
}
