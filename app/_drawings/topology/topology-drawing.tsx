'use client';

import type { KeyboardEvent, MouseEvent, Ref } from 'react';
import { memo, startTransition, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { by } from '@/lib/collections/compare';
import type { ShownChangeKind } from '@/lib/views/changes/change-shape';
import type { ViewTransform } from '@/lib/views/graph/fit-transform';
import { indexGraph } from '@/lib/views/graph/graph-index';
import type { PlacedEdge, PlacedNode, TopologyLayout } from '@/lib/views/graph/layout-topology';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import { pathThrough } from '@/lib/views/graph/path-through';
import type { WalkDirection } from '@/lib/views/graph/walk-topology';
import { walkTopology } from '@/lib/views/graph/walk-topology';
import { useNonce } from '../../_components/nonce';
import { isFallbackEdge } from './is-fallback-edge';
import { TopologyLegend } from './topology-legend';
import { TopologyNode } from './topology-node';
import { topologyStyle } from './topology-style';
import { usePanZoom } from './use-pan-zoom';

export interface TopologyDrawingHandle {
  readonly zoomBy: (factor: number) => void;
  readonly showAll: () => void;
  /** Returns the picture with all nodes. */
  readonly svg: () => SVGSVGElement | null;
}

export interface TopologyDrawingProps {
  readonly layout: TopologyLayout;
  readonly selectedId: string | null;
  readonly hoveredId: string | null;
  /** IDs of search results, the first one first; null without a search. */
  readonly matches: ReadonlySet<string> | null;
  readonly find: string;
  readonly onSelect: (id: string | null) => void;
  readonly onHover: (id: string | null) => void;
  readonly onExpand: (id: string) => void;
  readonly transform?: ViewTransform | undefined;
  readonly onTransform: (transform: ViewTransform | undefined) => void;
  readonly hasLegend?: boolean;
  /** For each node ID, how a resolved config uses the node, and the listener of that config. */
  readonly marks?: Readonly<Record<string, NodeMark>>;
  readonly markedBy?: string;
  /** For each node ID, the change between two times; absent without a comparison. */
  readonly changes?: Readonly<Record<string, ShownChangeKind>>;
  /** IDs of the nodes that a request passes, which are highlighted unless a node is looked at. */
  readonly passed?: ReadonlySet<string> | undefined;
  /** A stored drawing has no animation. */
  readonly stored?: boolean;
  readonly ref?: Ref<TopologyDrawingHandle>;
}

/** SVG has no elements for these roles. */
const group = { role: 'group' } as const;
const decoration = { 'aria-hidden': true } as const;

/** With more nodes, frames of a transition take longer than 100 ms. */
const mostGliding = 150;

/** The middle of a usual frame, from its top. The real frame is not known in the first render. */
const middlePx = 400;

const arrows: Readonly<Record<string, WalkDirection>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/**
 * The graph in columns. Hover and focus highlight the path of a node, click selects it, Escape goes back,
 * arrow keys navigate, + and - zoom, 0 fits.
 */
export function TopologyDrawing(props: TopologyDrawingProps) {
  const {
    layout,
    selectedId,
    hoveredId,
    matches,
    onSelect,
    onHover,
    onExpand,
    hasLegend = true,
    stored,
    passed,
  } = props;
  const svg = useRef<SVGSVGElement>(null);
  const viewport = useRef<SVGGElement>(null);
  const heads = useRef<SVGGElement>(null);
  const [walkedId, setWalkedId] = useState<string | null>(null);
  const { width, height } = layout;
  const { transform, onTransform } = props;
  const nonce = useNonce();
  const [firstId] = matches ?? [];
  const foundId = selectedId !== null && matches?.has(selectedId) ? selectedId : firstId;
  const start = layout.nodes.find(({ column }) => column === 0);
  const kept = selectedId === null ? undefined : layout.nodes.find(({ node }) => node.id === selectedId);
  const found = layout.nodes.find(({ node }) => node.id === foundId);
  const shownY =
    transform === undefined ? (kept ?? found ?? start)?.y : (middlePx - transform.y) / transform.k;
  const { drawn, drawAll } = useGradualNodes(layout.nodes, shownY ?? 0);
  const { zoomBy, showAll, keep, reveal } = usePanZoom({
    svg,
    viewport,
    heads,
    width,
    height,
    start,
    kept,
    keptId: selectedId,
    found,
    find: props.find,
    transform,
    onTransform,
  });

  const graph = useMemo(() => {
    const nodes = layout.nodes.map(({ node }) => node);
    const edges = layout.edges.map(({ edge }) => edge);
    return { nodes, edges, index: indexGraph(nodes, edges) };
  }, [layout]);
  const lookedAt = hoveredId ?? selectedId;
  const path = useMemo(() => {
    const node = lookedAt === null ? undefined : graph.index.indexOf.get(lookedAt);
    return node === undefined ? null : pathThrough(graph.index, node);
  }, [graph, lookedAt]);

  const focusNode = (id: string): void => {
    setWalkedId(id);
    const placed = layout.nodes.find(({ node }) => node.id === id);
    if (placed !== undefined) reveal(placed);
    const element = svg.current?.querySelector(`[data-id="${CSS.escape(id)}"]`);
    if (element instanceof SVGElement) element.focus({ preventScroll: true });
  };
  const drawnSvg = (): SVGSVGElement | null => {
    drawAll();
    return svg.current;
  };
  useImperativeHandle(props.ref, () => ({ zoomBy, showAll, svg: drawnSvg }));

  const activate = (id: string): void => {
    setWalkedId(id);
    const isAggregate = graph.nodes[graph.index.indexOf.get(id) ?? -1]?.stands !== undefined;
    if (isAggregate) {
      keep();
      onExpand(id);
    } else onSelect(id === selectedId ? null : id);
  };
  /** The node under the pointer when it was pressed: a layout that was deferred may move nodes before the release. */
  const pressedId = useRef<string | null>(null);
  const onClick = (event: MouseEvent): void => {
    // A click by assistive technology has no press.
    const id = event.detail === 0 ? idAt(event.target) : pressedId.current;
    if (id === null) onSelect(null);
    else activate(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = idAt(event.target);
    const direction = arrows[event.key];
    const next = direction === undefined || id === null ? undefined : walkTopology(layout, id, direction);
    if (next !== undefined) focusNode(next);
    else if (event.key === 'Escape') {
      onHover(null);
      onSelect(null);
    } else if (event.key === '+' || event.key === '=') zoomBy(1.3);
    else if (event.key === '-') zoomBy(1 / 1.3);
    else if (event.key === '0') showAll();
    else if ((event.key === 'Enter' || event.key === ' ') && id !== null) activate(id);
    else if (direction === undefined) return;
    event.preventDefault();
  };

  const tabStop =
    [walkedId, selectedId].find((id) => id !== null && graph.index.indexOf.has(id)) ?? graph.nodes[0]?.id;
  const lightNode = (index: number, id: string): 'lit' | 'dim' | '' => {
    if (path !== null) return path.nodes.has(index) ? 'lit' : 'dim';
    if (passed !== undefined) return passed.has(id) ? 'lit' : 'dim';
    return matches !== null && !matches.has(id) ? 'dim' : '';
  };
  const lightEdge = (index: number): 'lit' | 'dim' | '' => {
    if (path !== null) return path.edges.has(index) ? 'lit' : 'dim';
    const edge = graph.edges[index];
    if (passed !== undefined && edge !== undefined)
      return passed.has(edge.source) && passed.has(edge.target) ? 'lit' : 'dim';
    return matches === null ? '' : 'dim';
  };
  const edges = layout.edges
    .map((placed, index) => ({ placed, light: lightEdge(index), key: placed.edge.id }))
    .filter(({ placed: { edge } }) => drawn.has(edge.source) && drawn.has(edge.target));
  return (
    <svg
      ref={svg}
      xmlns="http://www.w3.org/2000/svg"
      className={stored || layout.nodes.length > mostGliding ? 'topology' : 'topology glides'}
      style={{ width: '100%', height: '100%', display: 'block', touchAction: 'none' }}
      width={width}
      height={height}
      {...group}
      aria-label="Configuration graph. Arrow keys move, Enter opens, plus and minus zoom, 0 shows all."
      onPointerDown={(event) => {
        pressedId.current = idAt(event.target);
      }}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onPointerOver={(event) => onHover(idAt(event.target))}
      onPointerLeave={() => onHover(null)}
      onFocus={(event) => onHover(idAt(event.target))}
      onBlur={() => onHover(null)}
    >
      <style nonce={nonce} suppressHydrationWarning>
        {topologyStyle}
      </style>
      <g ref={viewport}>
        <g {...decoration}>
          {edges.map(({ key, ...edge }) => (
            <TopologyEdge key={key} {...edge} />
          ))}
          {edges.map(({ key, ...edge }) => (
            <TopologyEdgeLabel key={key} {...edge} />
          ))}
        </g>
        {layout.nodes.map((placed, index) => {
          const { id } = placed.node;
          return drawn.has(id) ? (
            <TopologyNode
              key={id}
              placed={placed}
              mark={props.marks?.[id]}
              change={props.changes?.[id]}
              light={lightNode(index, id)}
              isSelected={id === selectedId}
              isMatch={matches?.has(id) ?? false}
              isTabStop={id === tabStop}
            />
          ) : null;
        })}
        {hasLegend && (
          <TopologyLegend
            layout={layout}
            marks={props.marks}
            markedBy={props.markedBy}
            changes={props.changes}
          />
        )}
        <TopologyHeads layout={layout} ref={heads} />
      </g>
    </svg>
  );
}

function idAt(target: EventTarget): string | null {
  return target instanceof Element ? (target.closest('[data-id]')?.getAttribute('data-id') ?? null) : null;
}

interface TopologyEdgeProps {
  readonly placed: PlacedEdge;
  readonly light: 'lit' | 'dim' | '';
}

const TopologyEdge = memo(function TopologyEdge({ placed: { edge, path }, light }: TopologyEdgeProps) {
  return (
    <path
      className={`edge edge-${edge.kind} ${isFallbackEdge(edge) ? 'later ' : ''}${light}`.trim()}
      d={path}
    />
  );
});

/** Labels are above all edges. */
const TopologyEdgeLabel = memo(function TopologyEdgeLabel({ placed, light }: TopologyEdgeProps) {
  if (placed.edge.label === '') return null;
  return (
    <text className={`label ${light}`.trim()} x={placed.labelX} y={placed.labelY}>
      {placed.edge.label}
    </text>
  );
});

interface TopologyHeadsProps {
  readonly layout: TopologyLayout;
  /** Set by pan and zoom, which keep the headings at the top. */
  readonly ref: Ref<SVGGElement>;
}

function TopologyHeads({ layout, ref }: TopologyHeadsProps) {
  return (
    <g ref={ref} className="heads">
      <rect className="heads-ground" x={0} y={0} width={layout.width} height={layout.headingY + 1} />
      {layout.columns.map(({ headings, x, width }) => (
        <g key={x}>
          {headings.map((heading, index) => (
            <text
              key={heading}
              className="heading"
              x={x}
              y={layout.headingY - 8 - (headings.length - 1 - index) * 14}
            >
              {heading}
            </text>
          ))}
          <path className="rule" d={`M${x} ${layout.headingY}H${x + width}`} />
        </g>
      ))}
    </g>
  );
}

/** Rendering, style and layout of this many nodes with their edges take about 50 ms on a slow machine. */
const mostNew = 80;

interface GradualNodes {
  /** IDs of the nodes to draw now. */
  readonly drawn: ReadonlySet<string>;
  /** Draws all nodes before it returns. */
  readonly drawAll: () => void;
}

/** Draws the nodes of a large graph in several tasks, those near `y` first, so that no task blocks the page. */
function useGradualNodes(nodes: readonly PlacedNode[], y: number): GradualNodes {
  const [before, setBefore] = useState<ReadonlySet<string>>(new Set());
  const drawn = useMemo(() => {
    const missing = nodes.filter(({ node }) => !before.has(node.id));
    if (missing.length === 0) return before;
    const distance = (placed: PlacedNode) => Math.abs(placed.y - y);
    missing.sort(by(distance));
    const later = new Set(missing.slice(mostNew));
    return idsOf(nodes.filter((placed) => !later.has(placed)));
  }, [nodes, before, y]);
  useEffect(() => startTransition(() => setBefore(drawn)), [drawn]);
  return { drawn, drawAll: () => flushSync(() => setBefore(idsOf(nodes))) };
}

function idsOf(nodes: readonly PlacedNode[]): ReadonlySet<string> {
  return new Set(nodes.map(({ node }) => node.id));
}
