import type { SourceKind } from '@/lib/observation/source-kinds';
import { type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';
import type { HistoryMarks } from '@/lib/views/history/schema';
import { formatResourceType } from '@/lib/xds/resource-type';

export interface MarkInput {
  readonly at: number;
  readonly kind: HistoryKind;
  readonly typeUrl?: string;
  readonly streamId?: string | null;
  readonly clientId?: string | null;
  readonly sourceId?: string;
  readonly sourceKind?: SourceKind;
  readonly tookMs?: number;
  readonly pair?: number;
}

/** Marks as GET history/timeline answers them; seq counts from 1 in the order given, which is that of time. */
export function historyMarks(inputs: readonly MarkInput[], gaps: HistoryMarks['gaps'] = []): HistoryMarks {
  const lanes = new Map<string, { index: number; lane: HistoryMarks['lanes'][number] }>();
  const laneOf = inputs.map(
    ({ typeUrl, streamId = 's1', clientId = 'c1', sourceId = 'probe', sourceKind = 'ads' }) => {
      const id = JSON.stringify([clientId, sourceId, streamId, typeUrl]);
      const known = lanes.get(id);
      if (known !== undefined) return known.index;
      const service = typeUrl && formatResourceType(typeUrl);
      const nodeId = clientId === null ? undefined : `node of ${clientId}`;
      const lane = {
        ...{ id, clientId: clientId ?? undefined, nodeId, sourceId, sourceKind },
        ...{ streamId: streamId ?? undefined, typeUrl, service },
      };
      lanes.set(id, { index: lanes.size, lane });
      return lanes.size - 1;
    },
  );
  return {
    kind: 'marks',
    from: inputs[0]?.at ?? 0,
    to: inputs.at(-1)?.at ?? 0,
    lanes: [...lanes.values()].map(({ lane }) => lane),
    seq: inputs.map((_, index) => index + 1),
    at: inputs.map(({ at }) => at),
    kinds: inputs.map(({ kind }) => historyKinds.indexOf(kind)),
    lane: laneOf,
    tookMs: inputs.map(({ tookMs = -1 }) => tookMs),
    pair: inputs.map(({ pair = -1 }) => pair),
    gaps,
  };
}
