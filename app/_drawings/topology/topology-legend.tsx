import type { GraphNodeStatus } from '@/lib/api/schema';
import { statusShape } from '@/lib/format/status-shape';
import type { TopologyLayout } from '@/lib/view-model/topology/layout-topology';
import { NodeMark } from './node-mark';

const entryGapPx = 22;
const charPx = 6;
const markRoomPx = 18;

/** Every status that occurs, as shape and word: inside the picture, so that an export stands alone. */
export function TopologyLegend({ layout }: { readonly layout: TopologyLayout }) {
  const entries: { status: GraphNodeStatus; x: number }[] = [];
  let x = layout.columns[0]?.x ?? 0;
  for (const status of layout.legend) {
    entries.push({ status, x });
    x += markRoomPx + statusShape(status).word.length * charPx + entryGapPx;
  }
  return (
    <g transform={`translate(0 ${layout.legendY})`}>
      <path className="rule" d={`M${layout.columns[0]?.x ?? 0} 0H${Math.max(0, layout.width - 16)}`} />
      {entries.map(({ status, x: left }) => (
        <g key={status}>
          <NodeMark status={status} x={left} y={13} sizePx={12} />
          <text className="legend" x={left + markRoomPx} y={23}>
            {statusShape(status).word}
          </text>
        </g>
      ))}
    </g>
  );
}
