import type { NodeMark } from '@/lib/api/node-mark';
import type { GraphNodeStatus } from '@/lib/api/schema';
import { type ChangeKind, changeKinds } from '@/lib/diff/change-kind';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import { statusShape } from '@/lib/view-model/status-shape';
import type { TopologyLayout } from '@/lib/view-model/topology/layout-topology';
import { type NodeUse, shapeOfUse } from '@/lib/view-model/use-shape';
import { ChangeBadge } from './change-badge';
import { StatusGlyph } from './status-glyph';
import { UseBadge } from './use-badge';

interface TopologyLegendProps {
  readonly layout: TopologyLayout;
  readonly marks?: Readonly<Record<string, NodeMark>>;
  /** The listener that the marks begin with. */
  readonly markedBy?: string;
  readonly changes?: Readonly<Record<string, ChangeKind>>;
}

const entryGapPx = 22;
const charPx = 6;
const markRoomPx = 18;

/** Every status that occurs, as shape and word: inside the picture, so that an export stands alone. */
export function TopologyLegend({ layout, marks, markedBy = '', changes }: TopologyLegendProps) {
  const entries: { status: GraphNodeStatus; x: number }[] = [];
  let x = layout.columns[0]?.x ?? 0;
  for (const status of layout.legend) {
    entries.push({ status, x });
    x += markRoomPx + statusShape(status).word.length * charPx + entryGapPx;
  }
  const uses: { use: NodeUse; x: number }[] = [];
  for (const use of findUses(layout, marks)) {
    uses.push({ use, x });
    x += markRoomPx + shapeOfUse(use).word.length * charPx + entryGapPx;
  }
  const kinds: { kind: ChangeKind; x: number }[] = [];
  for (const kind of findChanges(layout, changes)) {
    kinds.push({ kind, x });
    x += markRoomPx + changeShape(kind).word.length * charPx + entryGapPx;
  }
  return (
    <g transform={`translate(0 ${layout.legendY})`}>
      {kinds.map(({ kind, x: left }) => (
        <g key={kind}>
          <ChangeBadge kind={kind} x={left + 6} y={19} />
          <text className="legend" x={left + markRoomPx} y={23}>
            {changeShape(kind).word}
          </text>
        </g>
      ))}
      <path className="rule" d={`M${layout.columns[0]?.x ?? 0} 0H${Math.max(0, layout.width - 16)}`} />
      {uses.map(({ use, x: left }) => (
        <g key={use}>
          <UseBadge use={use} x={left + 6} y={19} />
          <text className="legend" x={left + markRoomPx} y={23}>
            {shapeOfUse(use).word}
          </text>
        </g>
      ))}
      {marks !== undefined && (
        <text className="legend" x={x} y={23}>
          in the resolved config of {formatMiddleCut(markedBy, 40)}
        </text>
      )}
      {entries.map(({ status, x: left }) => (
        <g key={status}>
          <StatusGlyph status={status} x={left} y={13} sizePx={12} />
          <text className="legend" x={left + markRoomPx} y={23}>
            {statusShape(status).word}
          </text>
        </g>
      ))}
    </g>
  );
}

const signed: readonly NodeUse[] = ['ignored', 'unused', 'dangling'];

function findChanges(layout: TopologyLayout, changes: TopologyLegendProps['changes']): ChangeKind[] {
  const occurring = new Set(layout.nodes.map(({ node }) => changes?.[node.id]));
  return changeKinds.filter((kind) => occurring.has(kind));
}

/** Those that occur and have a sign, in one order. */
function findUses(layout: TopologyLayout, marks: TopologyLegendProps['marks']): NodeUse[] {
  if (marks === undefined) return [];
  const occurring = new Set(layout.nodes.map(({ node }) => marks[node.id]?.use));
  return signed.filter((use) => occurring.has(use));
}
