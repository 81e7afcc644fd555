import type { ReactNode } from 'react';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { changeShape, type ShownChangeKind, shownChangeKinds } from '@/lib/views/changes/change-shape';
import { statusShape } from '@/lib/views/drawing/status-shape';
import type { TopologyLayout } from '@/lib/views/graph/layout-topology';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import { type NodeUse, shapeOfUse } from '@/lib/views/graph/use-shape';
import { Badge } from './badge';
import { StatusGlyph } from './status-glyph';
import { TopologySigns } from './topology-signs';

interface TopologyLegendProps {
  readonly layout: TopologyLayout;
  readonly marks?: Readonly<Record<string, NodeMark>>;
  readonly markedBy?: string;
  readonly changes?: Readonly<Record<string, ShownChangeKind>>;
}

const entryGapPx = 22;
const charPx = 6;
const markRoomPx = 18;

/** The statuses, uses, changes and signs that occur. They are part of the picture, so that exports include them. */
export function TopologyLegend({ layout, marks, markedBy = '', changes }: TopologyLegendProps) {
  let x = layout.columns[0]?.x ?? 0;
  const place = <Item,>(items: readonly Item[], wordOf: (item: Item) => string) =>
    items.map((item) => {
      const left = x;
      const word = wordOf(item);
      x += markRoomPx + word.length * charPx + entryGapPx;
      return { item, left, word };
    });
  const statuses = place(layout.legend, (status) => statusShape(status).word);
  const uses = place(findUses(layout, marks), (use) => shapeOfUse(use).word);
  const kinds = place(findChanges(layout, changes), (kind) => changeShape(kind).word);
  return (
    <g transform={`translate(0 ${layout.legendY})`}>
      {kinds.map(({ item: kind, left, word }) => (
        <Entry key={kind} left={left} word={word}>
          <Badge shape={changeShape(kind)} glyphPx={10} x={left + 6} y={19} />
        </Entry>
      ))}
      <path className="rule" d={`M${layout.columns[0]?.x ?? 0} 0H${Math.max(0, layout.width - 16)}`} />
      {uses.map(({ item: use, left, word }) => (
        <Entry key={use} left={left} word={word}>
          <Badge shape={shapeOfUse(use)} glyphPx={11} x={left + 6} y={19} />
        </Entry>
      ))}
      {marks !== undefined && (
        <text className="legend" x={x} y={23}>
          in the resolved config of {formatMiddleCut(markedBy, 40)}
        </text>
      )}
      {statuses.map(({ item: status, left, word }) => (
        <Entry key={status} left={left} word={word}>
          <StatusGlyph status={status} x={left} y={13} sizePx={12} />
        </Entry>
      ))}
      <TopologySigns layout={layout} />
    </g>
  );
}

interface EntryProps {
  readonly left: number;
  readonly word: string;
  readonly children: ReactNode;
}

function Entry({ left, word, children }: EntryProps) {
  return (
    <g>
      {children}
      <text className="legend" x={left + markRoomPx} y={23}>
        {word}
      </text>
    </g>
  );
}

const signed: readonly NodeUse[] = ['ignored', 'unused', 'dangling'];

function findChanges(layout: TopologyLayout, changes: TopologyLegendProps['changes']): ShownChangeKind[] {
  const occurring = new Set(layout.nodes.map(({ node }) => changes?.[node.id]));
  return shownChangeKinds.filter((kind) => occurring.has(kind));
}

function findUses(layout: TopologyLayout, marks: TopologyLegendProps['marks']): NodeUse[] {
  if (marks === undefined) return [];
  const occurring = new Set(layout.nodes.map(({ node }) => marks[node.id]?.use));
  return signed.filter((use) => occurring.has(use));
}
