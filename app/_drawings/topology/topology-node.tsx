import type { CSSProperties } from 'react';
import { memo } from 'react';
import { changeShape, type ShownChangeKind } from '@/lib/views/changes/change-shape';
import type { GraphNodeStatus } from '@/lib/views/drawing/node-status';
import { statusShape } from '@/lib/views/drawing/status-shape';
import type { PlacedNode } from '@/lib/views/graph/layout-topology';
import { formatKind } from '@/lib/views/graph/node-kind';
import type { GraphNodeKind } from '@/lib/views/graph/node-kinds';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import { markPx, paddingPx } from '@/lib/views/graph/node-text';
import type { GraphNode } from '@/lib/views/graph/schema';
import { isNodeInTrouble } from '@/lib/views/graph/topology';
import type { NodeUse } from '@/lib/views/graph/use-shape';
import { shapeOfUse } from '@/lib/views/graph/use-shape';
import { Badge } from './badge';
import { StatusGlyph, toneOf } from './status-glyph';
import { themed } from './topology-style';

interface RollUpMarkProps {
  readonly status: GraphNodeStatus;
  /** The centre. */
  readonly x: number;
  readonly y: number;
}

const glyphPx = 9;

/** The worst status below a node, in a circle at its corner. */
function RollUpMark({ status, x, y }: RollUpMarkProps) {
  return (
    <g transform={`translate(${x} ${y})`} style={toneOf(status)}>
      <circle className="roll-up" r={7} />
      <StatusGlyph status={status} x={-glyphPx / 2} y={-glyphPx / 2} sizePx={glyphPx} />
    </g>
  );
}

/** The colors of the bars at the left of nodes. */
export const hues: Readonly<Record<Exclude<GraphNodeKind, 'aggregate'>, string>> = {
  listener: '--type-listener',
  'route-config': '--type-route',
  'virtual-host': '--type-route',
  route: '--type-route',
  cluster: '--type-cluster',
  priority: '--type-endpoint',
  locality: '--type-endpoint',
  endpoint: '--type-endpoint',
  endpoints: '--type-endpoint',
  secret: '--text-muted',
};

/** SVG has no button element. */
function toggleButton(isPressed: boolean) {
  return { role: 'button', 'aria-pressed': isPressed } as const;
}

interface TopologyNodeProps {
  readonly placed: PlacedNode;
  /** The use of the node by a resolved config, if requested. */
  readonly mark?: NodeMark;
  /** The change between two times, if they are compared. */
  readonly change?: ShownChangeKind;
  /** States whether the node is on the highlighted path, beside it, or neither. */
  readonly light: 'lit' | 'dim' | '';
  readonly isSelected: boolean;
  readonly isMatch: boolean;
  /** The only node in the tab order; arrow keys reach the others. */
  readonly isTabStop: boolean;
}

/** A node as a box. The drawing handles its events and finds it by `data-id`. */
export const TopologyNode = memo(function TopologyNode(props: TopologyNodeProps) {
  const { placed, mark, change, isSelected, isTabStop } = props;
  const { node, x, y, width, height } = placed;
  const kind = node.stands?.kind ?? node.kind;
  const use = findUse(node, mark);
  const style = {
    ...toneOf(node.status),
    '--hue': themed(kind === 'aggregate' ? '--text-muted' : hues[kind]),
    // CSS transforms can be animated; the attribute serves exported files.
    transform: `translate(${x}px, ${y}px)`,
  };
  return (
    <g
      className={classesOf(props)}
      style={style as CSSProperties}
      transform={`translate(${x} ${y})`}
      data-id={node.id}
      {...toggleButton(isSelected)}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={describe(placed, mark, change)}
    >
      <title>{explain(node, mark, change)}</title>
      {node.stands !== undefined && (
        <rect className="stack" x={4} y={4} width={width} height={height} rx={6} />
      )}
      <rect className="box" width={width} height={height} rx={6} />
      <rect className="tint" width={width} height={height} rx={6} fill="none" />
      <rect className="hue" x={0} y={6} width={3} height={height - 12} rx={1.5} />
      <rect className="ring" x={-3} y={-3} width={width + 6} height={height + 6} rx={9} />
      <Text placed={placed} />
      {use !== undefined && <Badge shape={shapeOfUse(use)} glyphPx={11} x={width - 5} y={1} />}
      {node.below !== undefined && <RollUpMark status={node.below.status} x={5} y={height - 1} />}
      {change !== undefined && (
        <Badge shape={changeShape(change)} glyphPx={10} x={width - 5} y={height - 1} />
      )}
    </g>
  );
});

function Text({ placed: { node, title, detail, isOneLine, width } }: { readonly placed: PlacedNode }) {
  const left = paddingPx + (statusShape(node.status).path === '' ? 0 : markPx);
  const baseline = isOneLine ? 17.5 : 16.5;
  return (
    <>
      <StatusGlyph status={node.status} x={paddingPx - 1} y={baseline - 10.5} sizePx={13} />
      <text className="name" x={left} y={baseline}>
        {title}
      </text>{' '}
      {detail !== '' && isOneLine && (
        <text className="detail" x={width - paddingPx} y={baseline} textAnchor="end">
          {detail}
        </text>
      )}
      {detail !== '' && !isOneLine && (
        <text className="detail" x={left} y={baseline + 15.5}>
          {detail}
        </text>
      )}
    </>
  );
}

/** The effective config that the reader chose, or else whether any listener leads to the resource. */
function findUse({ unused }: GraphNode, mark: NodeMark | undefined): NodeUse | undefined {
  return mark?.use ?? (unused === '' ? undefined : 'unused');
}

function classesOf({
  placed: { node },
  mark,
  change,
  light,
  isSelected,
  isMatch,
}: TopologyNodeProps): string {
  const use = findUse(node, mark);
  const isAbsent = node.hash === undefined && node.typeUrl !== undefined;
  const classes = [
    'node',
    light,
    isSelected ? 'selected' : '',
    isMatch ? 'match' : '',
    isNodeInTrouble(node) ? 'trouble' : '',
    isAbsent ? 'absent' : '',
    node.stands === undefined ? '' : 'standing-for',
    use === undefined ? '' : `use-${use}`,
    change === undefined ? '' : `is-${change}`,
  ];
  return classes.filter((name) => name !== '').join(' ');
}

/** The accessible name: kind, the text as it is shown (WCAG 2.5.3), what of it is cut, the whole name, status. */
function describe({ node, title, detail }: PlacedNode, mark?: NodeMark, change?: ShownChangeKind): string {
  const kind = node.stands === undefined ? `${formatKind(node.kind)} ` : '';
  const parts = [
    `${kind}${title}${detail === '' ? '' : ` ${detail}`}`,
    title === node.name ? '' : node.name,
    stateOf(node),
    detail === node.detail ? '' : node.detail,
    ...wordsOf(node, mark),
    wordOf(change),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function explain(node: GraphNode, mark?: NodeMark, change?: ShownChangeKind): string {
  const { name, detail, reason } = node;
  const lines = [name, detail, stateOf(node), reason, wordsOf(node, mark).join(': '), wordOf(change)];
  return lines.filter((line) => line !== '').join('\n');
}

function wordOf(change: ShownChangeKind | undefined): string {
  if (change === undefined) return '';
  const { word } = changeShape(change);
  const isInTime = change === 'added' || change === 'removed' || change === 'changed';
  return isInTime ? `${word} since A` : word;
}

/** "ACKED; below: cluster cart has no healthy endpoint". */
function stateOf({ status, below }: GraphNode): string {
  const { word } = statusShape(status);
  if (below === undefined) return word;
  return `${word === '' ? '' : `${word}; `}below: ${below.text}`;
}

function wordsOf({ unused }: GraphNode, mark: NodeMark | undefined): string[] {
  if (mark === undefined) return unused === '' ? [] : [shapeOfUse('unused').word, unused];
  return [shapeOfUse(mark.use).word, mark.reason].filter((word) => word !== '');
}
